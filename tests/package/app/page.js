// The script of a page.

import { callBoth } from './call.js';

globalThis.result = callBoth({ threads: 2 });
