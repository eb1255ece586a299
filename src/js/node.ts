/** What is used of Node. It is reached without an import, which bundlers for browsers would follow. */
export interface Node {
  versions: { node?: string };
  cwd(): string;
  getBuiltinModule(name: 'node:fs'): {
    promises: { readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> };
  };
  getBuiltinModule(name: 'node:os'): { availableParallelism(): number };
  getBuiltinModule(name: 'node:url'): { pathToFileURL(path: string): URL };
  getBuiltinModule(name: 'node:worker_threads'): {
    Worker: new (file: URL, options: { execArgv: string[] }) => NodeWorker;
    parentPort: {
      postMessage(message: unknown, transfer: Transferable[]): void;
      on(event: 'message', listener: (message: unknown) => void): void;
    } | null;
  };
}

export interface NodeWorker {
  postMessage(message: unknown, transfer: Transferable[]): void;
  terminate(): Promise<number>;
  ref(): void;
  unref(): void;
  on(event: 'message', listener: (message: unknown) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'exit', listener: (code: number) => void): void;
}

const { process } = globalThis as { process?: Node };

/** Node's process, where there is one. */
export const node = process?.versions?.node === undefined ? undefined : process;
