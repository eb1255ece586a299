// A folder as `npm install attention-wasm` leaves it, with a page in it.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (file) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const packageJson = JSON.parse(readFileSync(path('package.json'), 'utf8'));

/** build/snippets/NAME with index.html; returns its path. */
export function install(name, html) {
  const folder = path(`build/snippets/${name}`);
  rmSync(folder, { recursive: true, force: true });
  const modules = `${folder}/node_modules`;
  mkdirSync(modules, { recursive: true });
  for (const dependency of Object.keys(packageJson.dependencies ?? {})) {
    cpSync(path(`node_modules/${dependency}`), `${modules}/${dependency}`, { recursive: true });
  }
  for (const file of [...packageJson.files, 'package.json']) {
    cpSync(path(file), `${modules}/attention-wasm/${file}`, { recursive: true });
  }
  writeFileSync(`${folder}/index.html`, html);
  return folder;
}
