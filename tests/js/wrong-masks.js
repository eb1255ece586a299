// Mask rules that must be refused, as in wrong-calls.js.
import { inputs } from './inputs.js';
import { bool, f32, small } from './wrong-calls.js';

const masked = (mask, more) => small({ mask, start: 0, ...more });

export const wrongMasks = {
  'an unknown mask kind': [
    masked({ kind: 'triangular' }),
    'option',
    'mask',
    'triangular',
    ...['causal', 'window', 'lengths', 'padding', 'prefix', 'documents', 'global', 'strided'],
    ...['dilated', 'blocks', 'blocked', 'allowed', 'all', 'any', 'not', 'function'],
  ],
  'an unknown field of a mask rule': [
    masked({ kind: 'window', before: 3 }),
    'option',
    'mask.window.before',
    'before',
    'left',
    'right',
  ],
  'a missing field of a mask rule': [
    masked({ kind: 'strided' }),
    'option',
    'mask.strided.stride',
    'stride',
  ],
  'a bare boolean mask': [masked(bool(3, 5)), 'type', 'mask', 'allowed', 'blocked'],
  'a [B,S] padding mask as allowed': [
    masked({ kind: 'allowed', mask: bool(2, 5) }),
    'ambiguous',
    'mask.allowed.mask',
    '2×5',
    'padding',
  ],
  'a [B,S] padding mask as blocked where B = T': [
    {
      ...inputs(1, { B: 3, T: 3, S: 5 }),
      options: { mask: { kind: 'blocked', mask: bool(3, 5) } },
    },
    'ambiguous',
    'mask.blocked.mask',
    '3×5',
    'padding',
  ],
  'a mask of numbers': [
    masked({ kind: 'allowed', mask: f32(1, 1, 3, 5) }),
    'dtype',
    'mask.allowed.mask',
    'float32',
    'bool',
    'bias',
  ],
  'a mask that does not broadcast': [
    masked({ kind: 'allowed', mask: bool(1, 1, 3, 4) }),
    'shape',
    'mask.allowed.mask',
    '1×1×3×4',
    '5',
  ],
  'padding of another size': [
    masked({ kind: 'padding', blocked: bool(2, 4) }),
    'shape',
    'mask.padding.blocked',
    '2×4',
    '2×5',
  ],
  'padding said twice': [
    masked({ kind: 'padding', blocked: bool(2, 5), allowed: bool(2, 5) }),
    'option',
    'mask.padding',
    'blocked',
    'allowed',
  ],
  'lengths for another batch size': [
    masked({ kind: 'lengths', keys: [1, 2, 3] }),
    'shape',
    'mask.lengths.keys',
    '3',
    '2',
  ],
  'a length of keys below 0': [
    masked({ kind: 'lengths', keys: [1, -1] }),
    'option',
    'mask.lengths.keys',
    '-1',
  ],
  'ids for another number of keys': [
    masked({ kind: 'documents', ids: [0, 0, 1] }),
    'shape',
    'mask.documents.ids',
    '3',
    '5',
  ],
  'document starts out of order': [
    masked({ kind: 'documents', starts: [0, 3, 2] }),
    'option',
    'mask.documents.starts',
    '3',
    '2',
  ],
  'a stride of 0': [
    masked({ kind: 'strided', stride: 0 }),
    'option',
    'mask.strided.stride',
    '0',
    '1',
  ],
  'a dilation of 0': [
    masked({ kind: 'dilated', left: 1, right: 1, dilation: 0 }),
    'option',
    'mask.dilated.dilation',
    '0',
    '1',
  ],
  'a block layout of another size': [
    masked({ kind: 'blocks', size: 2, layout: bool(3, 3) }),
    'shape',
    'mask.blocks.layout',
    '3×3',
    '2×3',
  ],
};
