// The reader's tensors over a reload or a change of language: in this browser, for this tab, and for
// no longer than a day after they were last seen.
import { type Brought, type Texts, nothing } from './bench-brought.js';
import type { Field } from './bench-call.js';
import type { GivenTensor } from './read-text.js';
import { SLICE } from './turns.js';

/** What is kept, with tensors by their numbers; their elements lie in slices of their own. */
interface Kept {
  seen: number;
  tensors: Map<string, Omit<GivenTensor, 'data'> & { length: number }>;
  given: [Field, tensor: string][];
  loaded: [name: string, tensor: string][];
  texts: Texts;
  chosen: Texts;
}

const TABS = 'tabs';
const SLICES = 'slices';
const DAY = 24 * 60 * 60 * 1000;
const stores = [TABS, SLICES];

const answer = <Value>(request: IDBRequest<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error!);
  });

/** Resolves when all of it has been written. */
const written = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error!);
  });

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open('attention-workbench', 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(TABS).createIndex('seen', 'seen');
    request.result.createObjectStore(SLICES);
  };
  return answer(request);
}

/** A name that nothing else has, on any page. */
const newName = () => crypto.getRandomValues(new Uint32Array(2)).join('-');
/** All slices of a tab, or of one of its tensors. */
const slicesOf = (...key: string[]) => IDBKeyRange.bound(key, [...key, []]);

/** Deletes what tabs have left that are long closed. */
async function sweep(transaction: IDBTransaction): Promise<void> {
  const tabs = transaction.objectStore(TABS);
  const old = IDBKeyRange.upperBound(Date.now() - DAY);
  for (const tab of await answer(tabs.index('seen').getAllKeys(old))) {
    tabs.delete(tab);
    transaction.objectStore(SLICES).delete(slicesOf(tab as string));
  }
}

/** The name of this tab's part, across its pages. */
const NAME = 'workbench';
/** There while a page of this tab shows. */
const OPEN = 'workbench-open';

export class Keeper {
  #tab = '';
  #database: Promise<IDBDatabase> | undefined;
  /** The tensors that are kept under this tab's name, by number. */
  #kept = new Map<GivenTensor, string>();
  #next: Brought | undefined;
  #isWriting = false;

  /** `said` hears whether what was brought last is kept, or why it is not. */
  constructor(readonly said: (failure: unknown) => void) {}

  /** What this tab keeps; undefined where that is nothing. Throws where it cannot be read. */
  recall(): Promise<Brought> | undefined {
    const name = sessionStorage.getItem(NAME);
    // A tab that was duplicated begins with the other's name; it reads there, and writes elsewhere.
    const isCopy = sessionStorage.getItem(OPEN) !== null;
    this.#tab = isCopy || name === null ? newName() : name;
    sessionStorage.setItem(OPEN, '1');
    addEventListener('pagehide', () => sessionStorage.removeItem(OPEN));
    addEventListener('pageshow', () => sessionStorage.setItem(OPEN, '1'));
    return name === null ? undefined : this.#read(name);
  }

  async #read(name: string): Promise<Brought> {
    const transaction = (await this.#open()).transaction(stores, 'readwrite');
    const [tabs, slices] = stores.map((store) => transaction.objectStore(store));
    const kept = await answer(tabs!.get(name) as IDBRequest<Kept | undefined>);
    if (!kept) throw new Error(`no tensors of ${name}`);
    const tensors = new Map<string, GivenTensor>();
    for (const [id, { length, ...about }] of kept.tensors) {
      const data = new Float64Array(length);
      // A slice is a turn of the page.
      for (let from = 0; from < length; from += SLICE) {
        const slice = slices!.get([name, id, from]) as IDBRequest<Float64Array>;
        data.set(await answer(slice), from);
      }
      tensors.set(id, { ...about, data });
    }
    if (name === this.#tab) {
      tabs!.put({ ...kept, seen: Date.now() }, name);
      for (const [id, tensor] of tensors) this.#kept.set(tensor, id);
    }
    await written(transaction);
    const byName = <Name>(pairs: [Name, string][]) =>
      pairs.map(([of, id]) => [of, tensors.get(id)!] as const);
    return {
      given: Object.fromEntries(byName(kept.given)),
      loaded: new Map(byName(kept.loaded)),
      texts: kept.texts,
      chosen: kept.chosen,
    };
  }

  /** Keeps this and nothing else; undefined keeps nothing. The last of several calls counts. */
  keep(brought: Brought | undefined): void {
    this.#next = brought ?? nothing;
    if (!this.#isWriting) void this.#write();
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#next) {
      const brought = this.#next;
      this.#next = undefined;
      try {
        await this.#put(brought);
        this.said(undefined);
      } catch (error) {
        // Rather nothing than what was there before; it is swept away one day.
        sessionStorage.removeItem(NAME);
        this.said(error);
      }
    }
    this.#isWriting = false;
  }

  #open(): Promise<IDBDatabase> {
    this.#database ??= open();
    return this.#database;
  }

  async #put({ given, texts, loaded, chosen }: Brought): Promise<void> {
    const wanted = new Set([...Object.values(given), ...loaded.values()]);
    const name = this.#tab;
    const isEmpty = wanted.size === 0 && Object.values(texts).every((text) => text === '');
    if (isEmpty && sessionStorage.getItem(NAME) !== name) return;
    const transaction = (await this.#open()).transaction(stores, 'readwrite');
    const end = written(transaction);
    end.catch(() => {}); // what fails first is what is told
    const [tabs, slices] = stores.map((store) => transaction.objectStore(store));
    await sweep(transaction);
    if ((await answer(tabs!.getKey(name))) === undefined) this.#kept.clear();
    const kept = new Map<GivenTensor, string>();
    for (const [tensor, id] of this.#kept) {
      if (wanted.has(tensor)) kept.set(tensor, id);
      else slices!.delete(slicesOf(name, id));
    }
    for (const tensor of wanted) {
      if (kept.has(tensor)) continue;
      const id = newName();
      kept.set(tensor, id);
      const { data } = tensor;
      for (let from = 0; from < data.length; from += SLICE) {
        await answer(slices!.put(data.slice(from, from + SLICE), [name, id, from]));
      }
    }
    if (isEmpty) tabs!.delete(name);
    else {
      const tensors = [...kept].map(([{ data, ...about }, id]) => {
        return [id, { ...about, length: data.length }] as const;
      });
      const named = <Name>(pairs: Iterable<readonly [Name, GivenTensor]>) =>
        Array.from(pairs, ([of, tensor]): [Name, string] => [of, kept.get(tensor)!]);
      tabs!.put(
        {
          seen: Date.now(),
          tensors: new Map(tensors),
          given: named(Object.entries(given) as [Field, GivenTensor][]),
          loaded: named(loaded),
          ...{ texts, chosen },
        } satisfies Kept,
        name,
      );
    }
    await end;
    this.#kept = kept;
    if (isEmpty) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, name);
  }
}
