// The browser of the tests and the benchmark.
import { chromium } from 'playwright-core';
import { findChromium } from '../src/build/toolchain.mjs';

/** Without what a browser fetches on its own account. */
const options = {
  executablePath: findChromium(),
  args: [
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--disable-gpu',
  ],
};

/** Starts it. */
export const launch = () => chromium.launch(options);

/** Starts it with a profile, a new one, as a reader has: closing the context ends the browser. */
export const launchWithProfile = (settings) =>
  chromium.launchPersistentContext('', { ...options, ...settings });
