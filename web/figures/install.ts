// <attention-install>: which build of the library this browser runs, and why no better one.
import { html, nothing } from 'lit';
import en from '../content/en/figures/install.json';
import zh from '../content/zh/figures/install.json';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import installSheet from '../styles/install.css?inline';
import { Figure, sheets } from './figure.js';

export class AttentionInstall extends Figure {
  static override styles = sheets(installSheet);

  protected override view({ attention: { info }, language }: Page) {
    const own = { en, zh }[language];
    // What the page can name itself; anything else is quoted.
    const reasonView = (reason: string) => {
      if (reason.startsWith('simd:')) return html`<p>${own.whys.simd}</p>`;
      if (!info.crossOriginIsolated) return html`<p>${own.whys.isolation}</p>`;
      return html`<p lang="en">${reason}</p>`;
    };
    const facts: [string, unknown][] = [
      [own.simd, own.simds[info.simd]],
      [own.threads, info.threads],
      [own.isolated, info.crossOriginIsolated ? own.yes : own.no],
      [own.size, fill(own.kilobytes, { value: Math.round(info.wasmBytes / 1000) })],
      [own.version, info.version],
    ];
    return html`<p class="install-title">${own.title}</p>
      <dl class="install">
        ${facts.map(
          ([name, value]) =>
            html`<div>
              <dt>${name}</dt>
              <dd>${value}</dd>
            </div>`,
        )}
        ${
          info.why.length === 0
            ? nothing
            : html`<div>
                <dt>${own.why}</dt>
                <dd>${info.why.map(reasonView)}</dd>
              </div>`
        }
      </dl>`;
  }
}
