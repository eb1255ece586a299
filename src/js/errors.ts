/**
 * What is wrong with a call. Every error of this package that a caller can cause is one of these;
 * after it the instance works as before.
 */
export class AttentionError extends RangeError {
  override readonly name = 'AttentionError';
  /** One word for programs: `'type'`, `'rank'`, `'dtype'`, `'shape'`, `'data'`, `'option'`, `'memory'`, … */
  readonly code: string;
  /** The argument at fault: `'key'`, `'dropout.p'`, `'mask.lengths.keys'`, … */
  readonly argument: string;

  constructor(code: string, argument: string, message: string) {
    super(message);
    this.code = code;
    this.argument = argument;
  }
}
