// From a value to a tint: how much of the colour, and which ink is readable on it.
// The colours themselves are tokens; a cell says only how far along its scale it lies.

import type { Matrix } from '../state/case.js';

export type Scale = 'signed' | 'weight';

export interface Tint {
  /** Share of the full colour, 0 (the surface) to 1. */
  amount: number;
  tone: 'positive' | 'negative' | 'weight';
  /** True where white ink reads better than dark ink (in the light theme). */
  strong: boolean;
}

/**
 * How far each scale goes into its colour. Signed values stop short, so that dark ink stays
 * readable on all of them and six matrices side by side stay calm; weights go all the way.
 */
const REACH: Record<Scale, number> = { signed: 0.8, weight: 1 };

/** Weights from here on are so dark that white ink has the better contrast. */
const STRONG = 0.7;

/** Largest finite magnitude: signed matrices use [−domain, domain], so that zero is the surface. */
export function domainOf(...matrices: Matrix[]): number {
  const sizes = matrices
    .flatMap((rows) => rows.flat())
    .map(Math.abs)
    .filter(Number.isFinite);
  return Math.max(...sizes, Number.MIN_VALUE);
}

/** Larger than the tints of a matrix reach. */
export const isBeyond = (value: number, domain: number) =>
  Number.isFinite(value) && Math.abs(value) > domain;

export function tint(value: number, scale: Scale, domain: number): Tint {
  const share = Number.isFinite(value) ? Math.min(Math.abs(value) / domain, 1) : 0;
  const tone = scale === 'weight' ? 'weight' : value < 0 ? 'negative' : 'positive';
  return { amount: share * REACH[scale], tone, strong: scale === 'weight' && share > STRONG };
}
