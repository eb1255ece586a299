// The scripts that Emscripten makes around the WebAssembly; they lie beside the compiled package.

declare module '*/wasm/attention-baseline.js' {
  const factory: import('./builds.js').Factory;
  export default factory;
}

declare module '*/wasm/attention-baseline-threads.js' {
  const factory: import('./builds.js').Factory;
  export default factory;
}
