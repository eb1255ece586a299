// Bars on a common baseline, each with its number: a row of a matrix as lengths.
import { type TemplateResult, html } from 'lit';

export interface Bars {
  label: string;
  values: readonly number[];
  /** What stands below each. */
  heads: readonly unknown[];
  /** The value of a full-height bar. */
  domain: number;
  tone: 'signed' | 'weight';
  write: (x: number) => string;
}

/** A list, so that it is read as numbers; the bars are their backgrounds. */
export function barsView({ label, values, heads, domain, tone, write }: Bars): TemplateResult {
  const bar = (x: number, index: number) => {
    const share = Number.isFinite(x) ? Math.min(Math.abs(x) / domain, 1) : 0;
    const color = tone === 'weight' ? 'weight' : x < 0 ? 'negative' : 'positive';
    return html`<li data-tone=${color} style="--share:${share.toFixed(4)}">
      <span class="bar"></span><span class="bar-number">${write(x)}</span>
      <span class="what">${heads[index]}</span>
    </li>`;
  };
  // As many as a phone has room for stand side by side.
  const columns = Math.min(values.length, 8);
  return html`<ol class="bars" data-kind=${tone} aria-label=${label} style="--columns:${columns}">
    ${values.map(bar)}
  </ol>`;
}
