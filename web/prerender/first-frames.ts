// The first frame of each figure as HTML, computed at build time by the library in Node, so that
// the page shows real numbers before, and without, any script.
import { readFile } from 'node:fs/promises';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import type { TemplateResult } from 'lit';
import { stepperView } from '../figures/stepper-view.js';
import { type Example, caseOf } from '../state/case.js';
import { frameOf } from '../state/frame.js';
import type { Words } from '../state/words.js';

type Library = typeof import('attention-wasm');

const readExample = async (name: string): Promise<Example> =>
  JSON.parse(
    await readFile(new URL(`../examples/${name}.json`, import.meta.url), 'utf8'),
  ) as Example;

/** Lit's markers are for taking the markup over again; the live figure draws its own. */
const withoutMarkers = (markup: string) =>
  markup.replace(/<!--.*?-->/g, '').replace(/>\s+</g, '>\n<');

const draw = async (view: TemplateResult) => withoutMarkers(await collectResult(render(view)));

/** By element name: what its first frame looks like in a language. */
export type FirstFrames = Record<string, (words: Words) => Promise<string>>;

export async function firstFrames(library: Library): Promise<FirstFrames> {
  const attention = await library.load({ threads: 1 });
  const sixSteps = await readExample('six-step');
  const frame = frameOf(attention, library, caseOf(sixSteps));
  return {
    'attention-stepper': (words) =>
      draw(
        stepperView({
          frame,
          view: { case: frame.case, step: 1, pin: null },
          tokens: sixSteps.tokens,
          words,
        }),
      ),
  };
}
