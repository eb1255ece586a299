// Long work that leaves the page its turns: a generator that yields after each slice.

/** A slice is so many cells: a few milliseconds of work on any device. */
export const SLICE = 1 << 17;

/** Calls `work` with every range of up to `SLICE` of `count` cells, a turn after each. */
export function* slices(
  count: number,
  work: (from: number, to: number) => void,
): Generator<void, void> {
  for (let from = 0; from < count; from += SLICE) {
    work(from, Math.min(from + SLICE, count));
    yield;
  }
}

/** All of it at once. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** A slice, then the page has its turn, and so on; rejects when `signal` says that it is not wanted. */
export async function inTurns<Result>(
  work: Generator<void, Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = work.next();
    if (done) return value;
    await new Promise((resolve) => setTimeout(resolve));
  }
}
