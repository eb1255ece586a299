// The figures by element name. Each is fetched when the reader comes near it.
import type { Figure } from './figure.js';
import type { Page } from '../state/page.js';

export type FigureClass = CustomElementConstructor & {
  new (): Figure;
  /** What stands in the prerendered page; nothing where the prose inside the element is enough. */
  firstFrame?: (page: Page) => unknown;
};

export const figures: Record<string, () => Promise<FigureClass>> = {
  'attention-retrieval': async () => (await import('./retrieval.js')).AttentionRetrieval,
  'attention-stepper': async () => (await import('./stepper.js')).AttentionStepper,
};
