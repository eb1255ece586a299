// What keeps the workbench's call from being made.
import type { FieldName, RuleKind } from './bench-rules.js';
import type { Field } from './bench-call.js';

/** `word` names the sentence in the reader's language. */
export class CallProblem extends Error {
  constructor(
    readonly word:
      | 'needed'
      | 'rank'
      | 'maskRank'
      | 'empty'
      | 'maskNumbers'
      | 'meaning'
      | 'noMask'
      | 'twoBiases'
      | 'start'
      | 'startCount'
      | 'alike'
      | 'heads'
      | 'perHead'
      | 'perBatchHead'
      | 'ambiguous'
      | 'isPadding'
      | 'maskShape'
      | 'paddingShape'
      | 'biasShape'
      | 'ruleLeast'
      | 'ruleMost'
      | 'ruleCount'
      | 'ruleLength'
      | 'ruleAscend'
      | 'blocks',
    readonly values: Record<string, string | number> & {
      /** Named in the reader's language, as the axis is. */
      field?: Field;
      other?: Field;
      axis?: 'batches' | 'heads' | 'length' | 'width';
      option?: 'alibi' | 'sinks';
      rule?: RuleKind;
      ruleField?: FieldName;
    } = {},
  ) {
    super(word);
  }
}
