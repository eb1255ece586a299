// What every figure is given: the library, the shared state, the reader's words.
import type { Attention } from 'attention-wasm';
import type { Store } from './store.js';
import type { Language, Words } from './words.js';

export interface Page {
  library: Pick<typeof import('attention-wasm'), 'tensor' | 'toNested' | 'AttentionError'>;
  attention: Attention;
  store: Store;
  words: Words;
  language: Language;
}
