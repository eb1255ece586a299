// Running programs and telling the user what is going on: shared by every script of this folder.

import { spawn, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** An error whose message is meant for the user; scripts print it without a stack trace. */
export class UserError extends Error {}

/**
 * Prints one step and returns a function that prints how long it took. On a terminal the seconds
 * count up meanwhile. On the error stream: the output of `toolchain.mjs --env` is read by a shell.
 */
export function step(title) {
  const started = performance.now();
  const elapsed = () => seconds(performance.now() - started);
  process.stderr.write(`• ${title}\n`);
  const tick = () => process.stderr.write(`\r  ${elapsed()}`);
  const ticking = process.stderr.isTTY && setInterval(tick, 1000).unref();
  return (note = '') => {
    clearInterval(ticking);
    process.stderr.write(`${ticking ? '\r' : ''}  done in ${elapsed()}${note && `, ${note}`}\n`);
  };
}

export const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;

const running = new Set();

/** Runs a program to its end. Its output is kept and shown only when it fails, unless `show`. */
export function run(program, args, { cwd = root, env = process.env, show = false, input } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    running.add(child);
    let output = '';
    const keep = (stream) => (chunk) => {
      output += chunk;
      if (show) stream.write(chunk);
    };
    child.stdout.on('data', keep(process.stdout));
    child.stderr.on('data', keep(process.stderr));
    if (input !== undefined) child.stdin.end(input);
    child.on('error', (error) =>
      reject(new UserError(`${program} could not run: ${error.message}`)),
    );
    child.on('close', (code, signal) => {
      running.delete(child);
      if (code === 0) return resolve(output);
      const command = [program, ...args].join(' ');
      const error = new UserError(
        `${show ? '' : output.trimEnd() + '\n'}${command}\nended with ${signal ?? `exit code ${code}`}`,
      );
      reject(Object.assign(error, { output }));
    });
  });
}

/** What a program prints, or null when it is missing or fails: for looking around. */
export function ask(program, args = ['--version'], options = {}) {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', ...options });
  return status === 0 ? stdout : null;
}

/** The full path of a program on PATH, or null. */
export function which(program) {
  const suffixes = process.platform === 'win32' ? ['.exe', '.bat', '.cmd'] : [''];
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const suffix of suffixes) {
      const path = join(folder, program + suffix);
      // A folder on PATH may hold a folder of the program's name: Emscripten's has a cmake/.
      if (folder && statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
    }
  }
  return null;
}

/** Compares dotted versions: is `have` at least `need`? */
export function atLeast(have, need) {
  const [a, b] = [have, need].map((version) => version.split('.').map(Number));
  const i = b.findIndex((part, k) => (a[k] ?? 0) !== part);
  return i < 0 || (a[i] ?? 0) > b[i];
}

export const stopSignals = ['SIGINT', 'SIGTERM'];

/**
 * Runs a script's main function; a UserError ends it with its message alone. A signal ends the
 * programs it has started too, and lets 'exit' handlers tidy up.
 */
export async function main(task) {
  for (const signal of stopSignals) {
    process.once(signal, () => {
      for (const child of running) child.kill(signal);
      process.exit(128 + constants.signals[signal]);
    });
  }
  try {
    await task();
  } catch (error) {
    console.error(`\n${error instanceof UserError ? error.message : error.stack}`);
    process.exitCode = 1;
  }
}

/** Is this module the script that node was started with? */
export const isScript = (url) => process.argv[1] === fileURLToPath(url);
