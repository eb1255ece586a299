// The figures by element name. Each is fetched when the reader comes near it.
import type { Figure } from './figure.js';
import type { Page } from '../state/page.js';

export type FigureClass = CustomElementConstructor & {
  new (): Figure;
  /** What stands in the prerendered page; nothing where the prose inside the element is enough. */
  firstFrame?: (page: Page) => unknown;
  /** What fills places of its prose, by the names that they have there in `data-place`. */
  places?: (page: Page) => Record<string, unknown>;
};

export const figures: Record<string, () => Promise<FigureClass>> = {
  'attention-alignment': async () => (await import('./alignment.js')).AttentionAlignment,
  'attention-broadcast': async () => (await import('./broadcast.js')).AttentionBroadcast,
  'attention-bug-gallery': async () => (await import('./bug-gallery.js')).AttentionBugGallery,
  'attention-cards': async () => (await import('./cards.js')).AttentionCards,
  'attention-causal-steps': async () => (await import('./causal-steps.js')).AttentionCausalSteps,
  'attention-checks': async () => (await import('./checks.js')).AttentionChecks,
  'attention-cost': async () => (await import('./cost.js')).AttentionCost,
  'attention-cross': async () => (await import('./cross.js')).AttentionCross,
  'attention-dot-product': async () => (await import('./dot-product.js')).AttentionDotProduct,
  'attention-dropout': async () => (await import('./dropout.js')).AttentionDropout,
  'attention-finite-mask': async () => (await import('./finite-mask.js')).AttentionFiniteMask,
  'attention-goals': async () => (await import('./goals.js')).AttentionGoals,
  'attention-install': async () => (await import('./install.js')).AttentionInstall,
  'attention-mask-order': async () => (await import('./mask-order.js')).AttentionMaskOrder,
  'attention-mask-painter': async () => (await import('./mask-painter.js')).AttentionMaskPainter,
  'attention-nan-repair': async () => (await import('./nan-repair.js')).AttentionNanRepair,
  'attention-online-softmax': async () =>
    (await import('./online-softmax.js')).AttentionOnlineSoftmax,
  'attention-overflow': async () => (await import('./overflow.js')).AttentionOverflow,
  'attention-polarity': async () => (await import('./polarity.js')).AttentionPolarity,
  'attention-precision': async () => (await import('./precision.js')).AttentionPrecision,
  'attention-projection': async () => (await import('./projection.js')).AttentionProjection,
  'attention-quiz': async () => (await import('./quiz.js')).AttentionQuiz,
  'attention-refusals': async () => (await import('./refusals.js')).AttentionRefusals,
  'attention-retrieval': async () => (await import('./retrieval.js')).AttentionRetrieval,
  'attention-scaling-lab': async () => (await import('./scaling-lab.js')).AttentionScalingLab,
  'attention-sentence': async () => (await import('./sentence.js')).AttentionSentence,
  'attention-shape-flow': async () => (await import('./shape-flow.js')).AttentionShapeFlow,
  'attention-stepper': async () => (await import('./stepper.js')).AttentionStepper,
  'attention-workbench': async () => (await import('./workbench.js')).AttentionWorkbench,
};
