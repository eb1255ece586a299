// The libraries to compare with. They are no dependencies of this package.

import { installed } from '../installed.js';

const dependencies = {
  'onnxruntime-web': '1.30.0',
  '@tensorflow/tfjs-core': '4.22.0',
  '@tensorflow/tfjs-backend-wasm': '4.22.0',
};

/** The folder whose node_modules has them; null if they are not there and `install` is false. */
export const peers = ({ install }) => installed('peers', dependencies, { install });
