// Pointing about moves nothing: what is said of a cell has as much room as the longest took that has
// been looked at, from what stands there at rest, until the figure shows something else.

/** A place that does not get lower while its figure shows the same, at the same width. */
export class Still {
  #place: HTMLElement | null = null;
  #shows = '';
  #width = 0;
  readonly #observer = new ResizeObserver(([entry]) => {
    const { inlineSize, blockSize } = entry!.borderBoxSize[0]!;
    if (this.#width === 0) this.#width = inlineSize;
    // Not here, where the page is being laid out.
    if (inlineSize !== this.#width) requestAnimationFrame(() => this.#begin());
    else this.#place!.style.minHeight = `${blockSize}px`;
  });

  /** To be called whenever the figure is drawn; `shows` says what it shows apart from the cell. */
  keep(place: HTMLElement | null, shows: string): void {
    if (place === this.#place && shows === this.#shows) return;
    this.#place = place;
    this.#shows = shows;
    this.#begin();
  }

  #begin(): void {
    this.#observer.disconnect();
    if (!this.#place) return;
    this.#width = 0;
    this.#place.style.minHeight = '';
    this.#observer.observe(this.#place);
  }
}
