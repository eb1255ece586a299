// A program for Node: prints what it computed and does nothing to end.

import { callBoth } from './call.js';

console.log(JSON.stringify(await callBoth({ threads: 2 })));
