// Reads a file or a long text away from the page.
import { readFile, readTexts } from './read-tensor.js';
import { ReadError } from './read-text.js';
import type { Answer, Source } from './read.js';

async function answer({ source, name }: Source): Promise<Answer> {
  try {
    return { found: typeof source === 'string' ? readTexts(source, name) : await readFile(source) };
  } catch (error) {
    if (error instanceof ReadError) return { word: error.word, values: error.values };
    return { word: 'other', values: { reason: String(error) } };
  }
}

addEventListener('message', ({ data }: MessageEvent<Source>) => {
  void answer(data).then((found) => {
    const tensors = 'found' in found ? [...found.found.tensors.values()] : [];
    // Given away, not copied: they may be large.
    postMessage(found, { transfer: tensors.map((tensor) => tensor.data.buffer) });
  });
});
