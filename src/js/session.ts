// One WebAssembly module at work: the steps of a call, in the order that src/wasm/session.h gives.

import { checkFields, checkFunction } from './arguments.js';
import type { CallOptions } from './attention.js';
import { AttentionError } from './errors.js';
import { dtypes, type DType } from './generated/options.js';
import { Message } from './message.js';
import { Reply, Status, type Module, type RawExplanation } from './module.js';
import type { TileStep } from './results.js';
import { asFloat16, bitsOf, held, kindOf, sizeOf } from './tensor.js';
import type { ResultTensor, Tensor, TensorData } from './tensor.js';

const inputNames = ['query', 'key', 'value'];
/** Rows of a call; an end of 0 is the last. */
const all = { begin: 0, end: 0 };

/** An array for the output, which has been checked, and the length of its rows. */
interface OutputPlace {
  into: TensorData;
  dtype: DType;
  width: number;
}

export class Session {
  readonly module: Module;
  readonly #message: Message;
  readonly #stack: number;
  readonly #paths = new Map<number, string>();
  /** The message's words, all of memory as elements of each dtype, and the reply. */
  #words = new Float64Array(0);
  #heap: TensorData[] = [];
  #reply = new Float64Array(0);
  /** How much memory those views were taken of. */
  #bytes = 0;
  /** Whether there is something to release. */
  #held = true;
  /** Elements of the output, from the first, that the last call copied out while it was at work. */
  #taken = 0;
  #state: 'idle' | 'busy' | 'disposed' = 'idle';
  readonly #threads: number;

  constructor(module: Module, threads: number) {
    this.module = module;
    this.#threads = threads;
    this.#stack = module.stackSave();
    this.#message = new Message((words) => this.#wordsFor(words));
    module.functions = this.#message.functions;
    module.outOfMemory = new Error('out of WebAssembly memory');
    module.open(threads);
  }

  /**
   * Checks a call, copies its inputs into memory and lets `work` do it and read the results. Whatever
   * goes wrong on the way, the next call finds everything as it should be.
   *
   * @param given query, key and value; of a call on a cache the query alone
   * @param work is told the inputs as they were when they were checked
   * @param first at which element their data begins, where it is not whole
   */
  call<const Inputs extends readonly Tensor[], Result>(
    explaining: boolean,
    given: Inputs,
    options: unknown,
    work: (dtype: DType, inputs: Inputs) => Result,
    { cache, first }: { cache?: number; first?: readonly (number | undefined)[] } = {},
  ): Result {
    return this.#guard(() => {
      const { module } = this;
      const message = this.#message;
      const inputs = given.map(held) as readonly Tensor[] as Inputs;
      for (let at = 0; at < inputs.length; at++) {
        message.input(inputs[at], inputNames[at]!, first?.[at]);
      }
      message.value(options, 'options');
      const status =
        cache === undefined
          ? module._prepare_call(explaining, message.length)
          : module.prepareCached(cache, message.length);
      this.#settle(status, inputs.length, () => module.check());
      this.#memory();
      const result = work(message.dtype, inputs);
      this.#held = this.reply(Reply.held) !== 0;
      return result;
    });
  }

  /** Makes a cache; its id is good until freeCache(). */
  createCache(sizes: readonly [number, number, number, number, number], dtype: DType): number {
    return this.#guard(() => {
      const id = this.module.createCache(...sizes, dtypes.indexOf(dtype));
      if (id === 0) throw this.#error();
      return id;
    });
  }

  append(cache: number, key: Tensor, value: Tensor): void {
    this.#guard(() => {
      const { module } = this;
      const message = this.#message;
      message.input(key, 'key');
      message.input(value, 'value');
      this.#check(module.prepareAppend(message.length));
      message.upload(this.#memory(), 0, 2);
      this.#check(module.append(cache));
    });
  }

  truncate(cache: number, length: number): void {
    this.#guard(() => this.#check(this.module.truncate(cache, length)));
  }

  /** Compiles a mask; the result's id is good until freeMask(). */
  compileMask(options: unknown, sizes: readonly [number, number, number, number]) {
    return this.#guard(() => {
      this.#message.value(options, 'options');
      const { module } = this;
      const status = module.prepareMask(...sizes, this.#message.length);
      try {
        this.#settle(status, 0, () => module.compileMask());
      } catch (error) {
        // Compiled all the same, from what its function said before it threw.
        if (this.#message.failure) module.freeMask(module.compiledMask().id);
        throw error;
      }
      return module.compiledMask();
    });
  }

  /** Begin and end of each range of keys that a row may read. */
  maskRow(id: number, b: number, h: number, i: number): [begin: number, end: number][] {
    return this.#guard(() => {
      const count = this.module.maskRow(id, b, h, i);
      const words = this.#wordsFor(2 * count);
      return Array.from({ length: count }, (_, at) => [words[2 * at]!, words[2 * at + 1]!]);
    });
  }

  /** Whether the prepared call can copy its output out while it is at work: beside other threads. */
  takesMeanwhile(call?: CallOptions): boolean {
    return this.#threads > 1 && this.reply(Reply.headsAtOnce) !== 0 && !call?.progress;
  }

  /**
   * Does the call's work; reply() and read() tell the results.
   *
   * @param output where readOutput() will put it: what is done early is put there early
   */
  attend(
    call?: CallOptions,
    { begin, end }: { begin: number; end: number } = all,
    output?: OutputPlace,
  ): void {
    if (call !== undefined) checkFields(call, 'call', ['progress', 'into']);
    const progress = call?.progress;
    checkFunction(progress, 'progress');
    let failure: { reason: unknown } | undefined;
    let told = 0;
    if (progress) {
      this.module.progress = (share) => {
        told = share;
        try {
          return progress(share) !== false;
        } catch (reason) {
          failure = { reason };
          return false;
        }
      };
    }
    this.#taken = 0;
    const headsAtOnce = this.reply(Reply.headsAtOnce);
    // What progress() does to the caller's arrays must change nothing.
    if (progress || headsAtOnce === 0) this.#upload();
    else this.#copyMeanwhile(headsAtOnce, output);
    this.module._attend_call(progress !== undefined, begin, end);
    this.#memory(); // in which the reply stands may have grown during the work
    if (failure) throw failure.reason;
    if (this.reply(Reply.stopped) !== 0) {
      throw new AttentionError(
        'stopped',
        'progress',
        'the call was stopped by its progress function',
      );
    }
    if (told < 1) progress?.(1); // another thread did the last task
  }

  /** attend() with a record of every tile. */
  trace(tileKeys: number): TileStep[] {
    this.#upload();
    const tiles = this.module.trace(tileKeys);
    this.#memory();
    return tiles;
  }

  explain(): RawExplanation {
    this.#upload();
    return this.module.explain();
  }

  /** Copies the inputs in. */
  #upload(): void {
    this.#message.uploadInputs(this.#memory(), this.#needed());
  }

  /**
   * Lets the call copy them in, some heads at a time, while it is at work on those before, and the
   * output out, rows as they are done, while it is at work on those after.
   */
  #copyMeanwhile(headsAtOnce: number, output?: OutputPlace): void {
    let heads = 0;
    this.module.moreHeads = () => {
      const memory = this.#memory(); // which may have grown since the last
      this.#message.uploadHeads(memory, heads, (heads += headsAtOnce), this.#needed());
      return heads;
    };
    this.module.rowsDone = (rows) => {
      if (output) this.#take(output.into, output.dtype, rows * output.width);
    };
  }

  /** Copies the elements of the output up to `end` out, as far as that has not been done. */
  #take(into: TensorData, dtype: DType, end: number): void {
    const elements = this.#memory()[dtypes.indexOf(dtype)]!;
    const start = this.reply(Reply.output) / elements.BYTES_PER_ELEMENT;
    const bits = kindOf(into) === 'Float16Array' ? bitsOf(into) : into;
    bits.set(elements.subarray(start + this.#taken, start + end), this.#taken);
    this.#taken = end;
  }

  /** The keys to copy of each batch element; undefined: all. */
  #needed(): ArrayLike<number> | undefined {
    const address = this.reply(Reply.needed);
    return address === 0 ? undefined : this.#memory()[1]!.subarray(address / 8);
  }

  /** What the module says about itself. */
  about<Result>(ask: (module: Module) => Result): Result {
    return this.#guard(() => ask(this.module));
  }

  reply(field: Reply): number {
    return this.#reply[field]!;
  }

  /** The name of the path that the last call took. */
  path(): string {
    const address = this.reply(Reply.path);
    let name = this.#paths.get(address);
    if (name === undefined) this.#paths.set(address, (name = this.module.UTF8ToString(address)));
    return name;
  }

  /** Copies a result out of memory. 16-bit floats come in the kind of array that `like` has. */
  read(dtype: DType, shape: number[], address: number, like?: Tensor): ResultTensor {
    const elements = this.#memory()[dtypes.indexOf(dtype)]!;
    const start = address / elements.BYTES_PER_ELEMENT;
    const data = copy(elements, start, start + sizeOf(shape));
    return { shape, data: asLike(data, dtype, like), dtype };
  }

  /** Room for a result, in the kind of array that read() gives. */
  room(dtype: DType, shape: number[], like: Tensor): TensorData {
    const { constructor } = this.#memory()[dtypes.indexOf(dtype)]!;
    const data = new (constructor as new (length: number) => TensorData)(sizeOf(shape));
    return asLike(data, dtype, like);
  }

  /** Copies what is left of the output `into` an array that has been checked. */
  readOutput(dtype: DType, shape: number[], into: TensorData): ResultTensor {
    this.#take(into, dtype, sizeOf(shape));
    return { shape, data: into, dtype };
  }

  dispose(): void {
    if (this.#state === 'disposed') return;
    if (this.#state === 'busy') throw busy();
    this.#state = 'disposed';
    this.module.close();
    this.module.PThread?.terminateAllThreads();
    this.#words = this.#reply = new Float64Array(0);
    this.#heap = [];
  }

  get disposed(): boolean {
    return this.#state === 'disposed';
  }

  #guard<Result>(work: () => Result): Result {
    if (this.#state === 'disposed') {
      throw new AttentionError(
        'disposed',
        'attention',
        'this instance was disposed; load() another',
      );
    }
    if (this.#state === 'busy') throw busy();
    this.#state = 'busy';
    this.#held = true;
    try {
      this.#message.restart();
      return work();
    } catch (error) {
      if (error !== this.module.outOfMemory) throw error;
      this.module.stackRestore(this.#stack);
      this.module.recover();
      this.#words = this.#reply = new Float64Array(0);
      throw new AttentionError(
        'memory',
        'query',
        'the WebAssembly memory is used up; pass fewer batch elements or heads at a time',
      );
    } finally {
      if (this.#held) this.module.release();
      this.#message.forget();
      this.#state = 'idle';
    }
  }

  /** Has options' tensors filled if need be, and throws what went wrong. */
  #settle(status: Status, firstOption: number, check: () => Status): void {
    if (status === Status.wantsOptions) {
      this.#message.upload(this.#memory(), firstOption);
      status = check();
    }
    const { failure } = this.#message;
    if (failure !== undefined) throw failure.reason;
    this.#check(status);
  }

  #check(status: Status): void {
    if (status === Status.failed) throw this.#error();
  }

  #error(): AttentionError {
    const { code, argument, message } = this.module.error();
    return new AttentionError(code, argument, message);
  }

  /** Room for the message: at least twice what there was, so that it is asked for seldom. */
  #wordsFor(words: number): Float64Array {
    // Where memory has grown and is not shared, old views have length 0.
    if (words > this.#words.length) {
      const wanted = Math.max(words, 2 * this.#words.length, 512);
      const address = this.module.message(wanted);
      this.#words = new Float64Array(this.module.wasmMemory.buffer, address, wanted);
    }
    return this.#words;
  }

  /** Views of all memory, taken anew when it has grown. */
  #memory(): readonly TensorData[] {
    if (this.#reply[Reply.memory] !== this.#bytes) {
      const { buffer } = this.module.wasmMemory;
      const bits = new Uint16Array(buffer);
      this.#heap = [
        new Float32Array(buffer),
        new Float64Array(buffer),
        bits,
        bits,
        new Uint8Array(buffer),
      ];
      this.#reply = new Float64Array(buffer, this.module.reply(), Reply.length);
      this.#bytes = this.reply(Reply.memory);
    }
    return this.#heap;
  }
}

/** Elements of an array, in one of their own. Many are copied without being zeroed first, few faster. */
function copy(elements: TensorData, begin: number, end: number): TensorData {
  if (end - begin < 1024) return elements.slice(begin, end);
  const part = elements.subarray(begin, end);
  return new (part.constructor as new (part: TensorData) => TensorData)(part);
}

/** An array of bits as the float16 array that it is, where `like` has such a one. */
function asLike(data: TensorData, dtype: DType, like?: Tensor): TensorData {
  const float16 = dtype === 'float16' && like && kindOf(like.data) === 'Float16Array';
  return float16 ? asFloat16(data as Uint16Array) : data;
}

function busy(): AttentionError {
  return new AttentionError(
    'busy',
    'attention',
    'this instance is at work; a mask function, progress or a getter of an argument must not call it',
  );
}
