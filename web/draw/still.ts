// Pointing about moves nothing: what is said of a cell has as much room as the longest took that has
// been looked at, from what stands there at rest, until the figure shows something else.

/** A place that does not get lower while its figure shows the same, at the same width. */
export class Still {
  #place: HTMLElement | null = null;
  #shows = '';
  #width = 0;
  #height = 0;
  readonly #observer = new ResizeObserver(([entry]) => {
    const { inlineSize, blockSize } = entry!.borderBoxSize[0]!;
    if (this.#width === 0) this.#width = inlineSize;
    // Not here, where the page is being laid out: to change it now is to lay it out twice.
    if (inlineSize !== this.#width) requestAnimationFrame(() => this.#begin());
    else this.#height = blockSize;
  });

  /** To be called whenever the figure is drawn; `shows` says what it shows apart from the cell. */
  keep(place: HTMLElement | null, shows: string): void {
    if (place === this.#place && shows === this.#shows) {
      if (place && this.#height > 0) place.style.minHeight = `${this.#height}px`;
      return;
    }
    this.#place = place;
    this.#shows = shows;
    this.#begin();
  }

  #begin(): void {
    this.#observer.disconnect();
    if (!this.#place) return;
    this.#width = this.#height = 0;
    this.#place.style.minHeight = '';
    this.#observer.observe(this.#place);
  }
}
