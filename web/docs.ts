// The documentation's pages are text: the contents and the theme are all there is to work.
import { followReading } from './contents.js';
import { startThemeSwitch } from './settings.js';

startThemeSwitch();
followReading();
