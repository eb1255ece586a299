// Makes the workbench's calls: small ones at once, others in a worker, and only the last one counts.
import type { AttentionWorker } from 'attention-wasm';
import { type Given, callOf, isSmall, workOf } from './bench-call.js';
import { refusalOf } from './bench-refusal.js';
import { type Result, runAway, runHere } from './bench-result.js';
import type { Settings } from './bench-settings.js';
import type { Page } from './page.js';
import { atOnce, inTurns } from './turns.js';

/** Calls of at most so many multiplications are done at once, larger ones in a worker. */
const AT_ONCE = 64 * 64 * 64;

export class BenchRun {
  /** What the last call that worked gave; a later one that fails leaves it. */
  result: Result | null = null;
  /** Why the last call failed; null where it did not. */
  refusal: unknown = null;
  isWorking = false;
  #abort: AbortController | null = null;
  #worker: Promise<AttentionWorker> | null = null;

  /** `said` hears of every change of the above. */
  constructor(readonly said: () => void) {}

  stop(): void {
    this.#abort?.abort();
    void this.#worker?.then((worker) => worker.dispose());
    this.#worker = null;
  }

  async run({ attention }: Page, given: Given, settings: Settings): Promise<void> {
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    const { signal } = abort;
    try {
      const making = callOf(given, settings);
      if (!isSmall(given)) this.#begin();
      const call = isSmall(given) ? atOnce(making) : await inTurns(making, signal);
      if (workOf(call) <= AT_ONCE) return this.#show(runHere(attention, call));
      this.#begin();
      this.#worker ??= import('attention-wasm').then(({ loadWorker }) => loadWorker());
      const result = await runAway(await this.#worker, call, signal);
      if (!signal.aborted) this.#show(result);
    } catch (error) {
      if (signal.aborted) return;
      this.isWorking = false;
      this.refusal = refusalOf(error, given, settings);
      // Where everything was cleared there is nothing left to show.
      if (Object.keys(given).length === 0) this.result = null;
      this.said();
    }
  }

  /** What takes its time is under way; what was wrong with the call before says nothing of it. */
  #begin(): void {
    if (this.isWorking && this.refusal === null) return;
    this.isWorking = true;
    this.refusal = null;
    this.said();
  }

  #show(result: Result): void {
    this.result = result;
    this.refusal = null;
    this.isWorking = false;
    this.said();
  }
}
