// npm start: builds the package and the page, serves it, prints the address.
//   npm start -- --port 8080 --host 127.0.0.1

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bin, buildPackage, installNpmPackages, unlessFresh } from './build.mjs';
import { isScript, main, root, run, stopSignals, UserError } from './run.mjs';
import { serve } from './serve.mjs';
import { toolchain } from './toolchain.mjs';

export const site = join(root, 'build/site');

/** The page, built from web/ and the package. */
export const buildSite = () =>
  unlessFresh({
    title: 'Building the page',
    inputs: ['web', 'dist', 'vite.config.ts', 'package-lock.json'],
    output: 'build/site',
    task: () => run(bin('vite'), ['build', '--logLevel', 'warn']),
  });

function options() {
  let values;
  try {
    const strings = { port: { type: 'string' }, host: { type: 'string' } };
    ({ values } = parseArgs({ options: strings }));
  } catch (error) {
    throw new UserError(`${error.message}\nUsage: npm start -- [--port NUMBER] [--host NAME]`);
  }
  const { port = '8080', host = '127.0.0.1' } = values;
  if (!/^\d+$/.test(port) || Number(port) > 65535) {
    throw new UserError(`--port ${port}: a port is a whole number from 0 (any free one) to 65535.`);
  }
  return { port: Number(port), host };
}

/** Serves on the port asked for, or the next free one. */
async function serveSite({ port, host }) {
  for (let next = port; ; ++next) {
    try {
      const server = await serve({ folder: site, port: next, host });
      if (next !== port) console.error(`  port ${port} is taken, using ${next}`);
      return server;
    } catch (error) {
      const reason = {
        EACCES: `port ${port} is not allowed for this user: take one above 1023`,
        EADDRNOTAVAIL: `this machine has no address ${host}`,
        ENOTFOUND: `the host name ${host} is not known`,
        EADDRINUSE: `ports ${port} to ${next} on ${host} are taken`,
      }[error.code];
      const goOn = error.code === 'EADDRINUSE' && next < port + 100 && next < 65535;
      if (!goOn) throw reason ? new UserError(`Cannot serve: ${reason}.`) : error;
    }
  }
}

if (isScript(import.meta.url)) {
  await main(async () => {
    const address = options();
    await installNpmPackages();
    await buildPackage(await toolchain('build'));
    await buildSite();
    const server = await serveSite(address);
    console.log(`\nThe page is at ${server.url}   (Ctrl-C ends)`);
    if (!['127.0.0.1', '::1', 'localhost'].includes(address.host)) {
      console.log(
        'Browsers allow threads over plain http on localhost only, so elsewhere it runs on one.',
      );
    }
    for (const signal of stopSignals) {
      process.removeAllListeners(signal);
      process.once(signal, () => void server.close());
    }
  });
}
