// The documentation's pages are text; only the theme can be switched.
import { startThemeSwitch } from './settings.js';

startThemeSwitch();
