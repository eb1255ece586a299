// What every figure is given: the library, the shared state, the reader's words.
import type { Attention } from 'attention-wasm';
import type { Example } from './case.js';
import type { Store } from './store.js';
import type { Words } from './words.js';

export interface Page {
  library: typeof import('attention-wasm');
  attention: Attention;
  store: Store;
  words: Words;
  tokens: Example['tokens'];
}
