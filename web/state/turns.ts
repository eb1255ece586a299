// Long work that leaves the page its turns: a generator that yields after each slice.

/** A slice is so many cells: a few milliseconds of work on any device. */
export const SLICE = 1 << 17;

/** In milliseconds, how long slices follow one another within a turn. */
const TURN = 4;

/** Calls `work` with every range of up to `size` of `count` cells, and may be left after each. */
export function* slices(
  count: number,
  work: (from: number, to: number) => void,
  size = SLICE,
): Generator<void, void> {
  for (let from = 0; from < count; from += size) {
    work(from, Math.min(from + size, count));
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

/** Some slices, then the page has its turn, and so on; rejects when `signal` says that it is not wanted. */
export async function inTurns<Result>(
  work: Generator<void, Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (;;) {
    signal?.throwIfAborted();
    const end = performance.now() + TURN;
    do {
      const { done, value } = work.next();
      if (done) return value;
    } while (performance.now() < end);
    await new Promise((resolve) => setTimeout(resolve));
  }
}
