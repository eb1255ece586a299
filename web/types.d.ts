/// <reference types="vite/client" />
/// <reference types="node" />

/** By element name: what stands inside it, as HTML. */
declare module 'virtual:prose/*' {
  const prose: Record<string, string>;
  export default prose;
}
