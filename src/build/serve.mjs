// A static server for build/site, with the headers that make the page cross-origin isolated, so that
// it may use threads. Also what the browser tests run against.

import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

const types = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/**
 * Serves a folder; resolves to { port, url, close }. With `isolated: false` it is an ordinary host
 * without threads. `headers` are added to every answer. Port 0 takes any free port. Rejects with the
 * error of listen(), EADDRINUSE for a port that is taken.
 */
export async function serve({
  folder,
  port = 0,
  host = '127.0.0.1',
  isolated = true,
  headers = {},
}) {
  const top = await realpath(folder);
  const always = {
    'Cache-Control': 'no-cache',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    ...(isolated ? isolation : {}),
    ...headers,
  };
  const server = createServer((request, response) => {
    answer(top, request, response, always).catch((error) => response.destroy(error));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const name = ['127.0.0.1', '::1'].includes(host) ? 'localhost' : host;
  return {
    port: address.port,
    url: `http://${name.includes(':') ? `[${name}]` : name}:${address.port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

async function answer(top, request, response, headers) {
  const fail = (status, text, more = {}) => {
    response.writeHead(status, { ...headers, 'Content-Type': types['.txt'], ...more });
    response.end(request.method === 'HEAD' ? '' : `${text}\n`);
  };
  if (!['GET', 'HEAD'].includes(request.method)) {
    return fail(405, 'only GET and HEAD', { Allow: 'GET, HEAD' });
  }
  const [rawPath, query] = request.url.split(/\?(.*)/s);
  let path;
  try {
    path = decodeURIComponent(rawPath);
  } catch {
    return fail(400, 'the address is not valid');
  }
  if (!path.startsWith('/') || path.includes('\0')) return fail(400, 'the address is not valid');

  // realpath follows links and `..`: what it gives must still lie inside the folder.
  const inside = async (name) => {
    const real = await realpath(name).catch(() => null);
    return real === top || real?.startsWith(top + sep) ? real : null;
  };
  let file = await inside(join(top, path));
  if (file && (await stat(file)).isDirectory()) {
    if (!path.endsWith('/')) {
      // Relative links in the page need the slash. One leading slash only: '//x' is another host.
      const location =
        rawPath.replace(/^\/+/, '/') + '/' + (query === undefined ? '' : `?${query}`);
      return fail(301, location, { Location: location });
    }
    file = await inside(join(file, 'index.html'));
  } else if (path.endsWith('/')) {
    file = null;
  }
  const info = file && (await stat(file));
  if (!info?.isFile()) return fail(404, 'not found');

  const tag = `"${info.size.toString(36)}-${info.mtimeMs.toString(36)}"`;
  const found = { ...headers, ETag: tag };
  if (request.headers['if-none-match'] === tag) return response.writeHead(304, found).end();
  response.writeHead(200, {
    ...found,
    'Content-Type': types[extname(file)] ?? 'application/octet-stream',
    'Content-Length': info.size,
  });
  if (request.method === 'HEAD') return response.end();
  await pipeline(createReadStream(file), response);
}
