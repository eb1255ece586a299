// The part of the workbench's call that one head meets, to be explained by itself.
import type { AttentionOptions, MaskRule, Numbers, Tensor } from 'attention-wasm';
import type { Settings } from './bench-settings.js';

type FourAxes = readonly [batches: number, heads: number, length: number, width: number];

/** [T, d] and [H, T, d] as [B, H, T, d]. */
export const fourAxes = (shape: readonly number[]) =>
  [...Array<number>(4 - shape.length).fill(1), ...shape] as unknown as FourAxes;

/** The part of a tensor that one head reads, [1, 1, rows, columns]; it may be broadcast. */
export function headOf({ shape, data, dtype }: Tensor, batch: number, head: number): Tensor {
  const [batches, heads, length, width] = fourAxes(shape);
  const size = length * width;
  const at = ((batches > 1 ? batch : 0) * heads + (heads > 1 ? head : 0)) * size;
  const part = (data as Float32Array).subarray(at, at + size);
  return { shape: [1, 1, length, width], data: part, dtype };
}

/** The row of a batch element, of [B, S] or [1, S]. */
function paddingOf({ shape, data }: Tensor, batch: number): Tensor {
  const keys = shape.at(-1)!;
  const at = data.length > keys ? batch * keys : 0;
  return { shape: [1, keys], data: (data as Uint8Array).subarray(at, at + keys) };
}

/** The list of a batch element, where each has its own. */
const listOf = (lists: Numbers | readonly Numbers[], batch: number): Numbers =>
  typeof lists[0] === 'number' ? (lists as Numbers) : ((lists as Numbers[])[batch] ?? []);

/** A rule as one head meets it. */
export function ruleOfHead(rule: MaskRule, batch: number, head: number): MaskRule {
  if (typeof rule === 'string') return rule;
  switch (rule.kind) {
    case 'padding': {
      const { blocked, allowed } = rule;
      return blocked
        ? { kind: 'padding', blocked: paddingOf(blocked as Tensor, batch) }
        : { kind: 'padding', allowed: paddingOf(allowed as Tensor, batch) };
    }
    case 'prefix': {
      const { length } = rule;
      return { kind: 'prefix', length: typeof length === 'number' ? length : length[batch]! };
    }
    case 'lengths': {
      const { keys, queries } = rule;
      return { kind: 'lengths', keys: [keys[batch]!], queries: queries && [queries[batch]!] };
    }
    case 'documents': {
      const { starts, ids } = rule;
      return starts
        ? { kind: 'documents', starts: listOf(starts, batch) }
        : { kind: 'documents', ids: listOf(ids!, batch) };
    }
    case 'blocks': {
      const layout = rule.layout as boolean[][] | boolean[][][];
      const isPerHead = Array.isArray(layout[0]?.[0]);
      return { ...rule, layout: isPerHead ? (layout[head] as boolean[][]) : layout };
    }
    case 'blocked':
    case 'allowed':
      return { kind: rule.kind, mask: headOf(rule.mask as Tensor, batch, head) };
    case 'any':
      return { kind: 'any', of: rule.of.map((each) => ruleOfHead(each, batch, head)) };
    case 'not':
      return { kind: 'not', of: ruleOfHead(rule.of, batch, head) };
    default:
      return rule;
  }
}

/**
 * ALiBi's slopes for so many heads: of a power of two n the series 2^(−8/n), 2^(−16/n), …; of other
 * counts that of the power of two below, then every other slope of that of twice it.
 *
 * Source: Press et al. 2022, “Train short, test long”; the library's `alibi: true`.
 */
export function publishedSlopes(heads: number): number[] {
  const power = 2 ** Math.floor(Math.log2(heads));
  const places = Array.from({ length: heads }, (_, h) => (h < power ? h + 1 : h - power + 0.5));
  return places.map((place) => 2 ** ((-8 * place) / power));
}

/** A slope for each head, once or for each batch element, where there are any. */
export const slopesOf = ({ alibi }: Settings, heads: number) =>
  alibi === 'off' ? undefined : alibi === 'paper' ? [publishedSlopes(heads)] : alibi;

/** The options as one head meets them, without dropout: which weights it drops depends on the place in the whole. */
export function optionsOfHead(
  options: AttentionOptions,
  slopes: ReturnType<typeof slopesOf>,
  batch: number,
  head: number,
): AttentionOptions {
  const { mask, bias, sinks, start } = options;
  return {
    ...options,
    dropout: undefined,
    mask: (mask as MaskRule[]).map((rule) => ruleOfHead(rule, batch, head)),
    bias: bias && headOf(bias as Tensor, batch, head),
    alibi: slopes && [(slopes[batch] ?? slopes[0])![head]!],
    sinks: sinks && [sinks[head]!],
    start: typeof start === 'object' ? start[batch]! : start,
  };
}
