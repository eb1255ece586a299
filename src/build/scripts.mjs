// The JavaScript of the package: src/js bundled into one file, and the scripts that Emscripten made
// around the WebAssembly, adjusted to how src/js uses them and made small.

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { minify } from 'rolldown/utils';
import { root, UserError } from './run.mjs';

/** What is bundled: each is a file of dist/ and takes from the others what it needs. */
const bundles = [
  {
    input: { index: 'src/js/index.ts', worker: 'src/js/worker.ts' },
    external: /\/wasm\//,
    platform: 'neutral',
  },
  { input: { files: 'src/js/files.ts' }, external: /\/index\.js$/, platform: 'neutral' },
  { input: { cli: 'src/cli/cli.ts' }, external: /^(node:|attention-wasm)/, platform: 'node' },
];

/**
 * src/js and src/cli as modules of dist/. The wasm files and the scripts around them stay beside
 * them.
 */
export async function bundle(destination = join(root, 'dist')) {
  for (const options of bundles) {
    const build = await rolldown({ ...options, cwd: root });
    const { output } = await build.generate({
      format: 'esm',
      minify: true,
      chunkFileNames: 'shared.js',
    });
    for (const { fileName, code } of output) {
      writeFileSync(join(destination, fileName), withPlainQuotes(code));
    }
  }
  // The one library that is inside; its license asks to go with it.
  const license = 'node_modules/wasm-feature-detect/LICENSE';
  cpSync(join(root, license), join(destination, 'LICENSE.wasm-feature-detect.txt'));
}

/** The minifier writes strings as templates, in which bundlers may not look for names of files. */
const withPlainQuotes = (code) =>
  code.replace(/(\bnew URL\(|\bimport\(|\btype:)`([^`$]+)`/g, '$1"$2"');

/** What is changed in Emscripten's scripts: what it is called here, the text, what it becomes. */
const changes = [
  [
    // load() always hands in the compiled module. Without the other ways there is nothing left for
    // bundlers to follow, and half the script is unused.
    'ways to fetch the WebAssembly',
    /if\(Module\["instantiateWasm"\]\)\{try\{(return Module\["instantiateWasm"\]\(info,receiveInstance\))\}catch\(e\)\{.*?readyPromiseReject\(e\)\}\}/g,
    '$1;',
  ],
  [
    // Only those would ask where the script lies. Rolldown, and with it Vite, puts a worker together
    // wrongly that does.
    'address of the script',
    /var _scriptName = import\.meta\.url;/g,
    '',
  ],
  [
    'folder of the script',
    /if\(ENVIRONMENT_IS_WORKER\)\{scriptDirectory=self\.location\.href\}.*?lastIndexOf\("\/"\)\+1\)\}/g,
    '',
  ],
  [
    // Bundlers for browsers stop at an import of Node's own modules, even one that never runs there.
    'import of createRequire',
    /const\{createRequire\}=await import\("module"\)/g,
    'const{createRequire}=process.getBuiltinModule("module")',
    'node',
  ],
  [
    'import of worker_threads',
    /await import\(.worker_threads.\)/g,
    'process.getBuiltinModule("worker_threads")',
    'node',
  ],
  [
    // A thread needs none of the program's own flags, and stops at some (--input-type, --eval).
    'options of a worker',
    /workerData:"em-pthread",/g,
    'workerData:"em-pthread",execArgv:[],',
    'node',
  ],
];

/** One of Emscripten's scripts, adjusted and minified. */
export async function adjustScript(from, to) {
  let text = readFileSync(from, 'utf8');
  const knowsNode = text.includes('worker_threads');
  for (const [what, pattern, replacement, only] of changes) {
    if (only === 'node' && !knowsNode) continue;
    if (text.match(pattern)?.length !== 1) {
      throw new UserError(`${from}: the ${what} is not as src/build/scripts.mjs expects it.`);
    }
    text = text.replace(pattern, replacement);
  }
  const { code, errors } = await minify(from, text, { module: true });
  if (errors.length > 0) throw new UserError(errors.map(({ message }) => message).join('\n'));
  writeFileSync(to, withPlainQuotes(code));
}
