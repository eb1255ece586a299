/**
 * `import 'attention-wasm/figures'` defines the figures of the article as elements:
 * `<attention-stepper>`, `<attention-mask-painter>`, `<attention-scaling-lab>` and the others.
 *
 * A figure speaks English, or Chinese where the nearest `lang` says so, and takes its theme from
 * the `color-scheme` of its surroundings. It has a background of its own, so that it can be read on
 * any page; the custom property `--attention-paper` gives it another.
 */
export interface AttentionFigure extends HTMLElement {
  /**
   * What the figure shows: what a link to the article says after its `#`, such as `s=3&p=w.2.1`;
   * one that is shortened (`z=…`) is followed in a moment. Also an attribute. What cannot be used of it is put right, and the figure says so.
   */
  state: string;
  addEventListener<Type extends keyof AttentionFigureEvents>(
    type: Type,
    listener: (this: AttentionFigure, event: AttentionFigureEvents[Type]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

export interface AttentionFigureEvents extends HTMLElementEventMap {
  /** The reader has changed something; bubbles. */
  'attention-change': CustomEvent<{ state: string }>;
  /** The WebAssembly could not be loaded; the figure says so too. */
  'attention-error': CustomEvent<{ error: unknown }>;
}

declare global {
  interface HTMLElementTagNameMap {
    [name: `attention-${string}`]: AttentionFigure;
  }
}
