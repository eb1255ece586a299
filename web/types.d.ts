/// <reference types="vite/client" />
/// <reference types="node" />
