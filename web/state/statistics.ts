// Describing numbers that are already there.

export const mean = (xs: readonly number[]) => xs.reduce((sum, x) => sum + x, 0) / xs.length;

/** Of the numbers themselves (divided by n), as the article counts. */
export function variance(xs: readonly number[]): number {
  const center = mean(xs);
  return mean(xs.map((x) => (x - center) ** 2));
}

/** The value below which a share of the numbers lies. */
export function quantile(xs: readonly number[], share: number): number {
  const sorted = [...xs].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  const [a, b] = [sorted[low]!, sorted[Math.ceil(at)]!];
  return a + (at - low) * (b - a);
}

/** Frobenius norm of ∂softmax/∂x = diag(p) − p pᵀ: how much gradient gets through. */
export const jacobianNorm = (p: readonly number[]): number =>
  Math.sqrt(
    p.reduce(
      (sum, a, i) => sum + p.reduce((row, b, j) => row + (a * ((i === j ? 1 : 0) - b)) ** 2, 0),
      0,
    ),
  );
