// A matrix without its numbers: what it looks like from afar.
import { type TemplateResult, html } from 'lit';
import type { Matrix } from '../state/case.js';
import { type Scale, domainOf, tint } from './scale.js';

export interface Heat {
  /** Said of the picture as a whole. */
  label: string;
  values: Matrix;
  scale?: Scale;
  domain?: number;
  isBlocked?: (row: number, column: number) => boolean;
}

export function heatView({
  label,
  values,
  scale = 'signed',
  domain,
  isBlocked,
}: Heat): TemplateResult {
  const reach = domain ?? (scale === 'weight' ? 1 : domainOf(values));
  const columns = values[0]?.length ?? 0;
  const cells = values.flatMap((row, i) =>
    row.map((value, j) => {
      const { amount, tone } = tint(value, scale, reach);
      const blocked = isBlocked?.(i, j) ?? false;
      return html`<i
        data-tone=${tone}
        ?data-blocked=${blocked}
        style="--t:${amount.toFixed(3)}"
      ></i>`;
    }),
  );
  return html`<div class="heat" role="img" aria-label=${label} style="--columns:${columns}">
    ${cells}
  </div>`;
}
