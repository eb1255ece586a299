// Reading what the reader brought, however large, without the page standing still.
import type { Found } from './read-tensor.js';
import { ReadError } from './read-text.js';

export interface Source {
  source: File | string;
  /** What a tensor that has no name of its own is called. */
  name: string;
}
export type Answer =
  { found: Found } | { word: ReadError['word']; values: Record<string, string | number> };

export async function read(source: Source): Promise<Found> {
  const worker = new Worker(new URL('./read-worker.ts', import.meta.url), { type: 'module' });
  try {
    const answer = await new Promise<Answer>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
      worker.onerror = ({ message }) => reject(new ReadError('other', { reason: message }));
      worker.postMessage(source);
    });
    if ('found' in answer) return answer.found;
    throw new ReadError(answer.word, answer.values);
  } finally {
    worker.terminate();
  }
}
