import { createServer } from 'node:net';

/** Below those that systems give to connections and to servers that ask for any. */
const LOWEST_PORT = 12_000;
const WORKERS = 18;
const PORTS_OF_A_WORKER = 1_000;

let taken = Math.floor(Math.random() * PORTS_OF_A_WORKER);

/**
 * A port of this machine that nobody listens on, for a server that must know it before it starts: never the same one
 * twice, nor one of another worker of jest.
 */
export async function freePort(): Promise<number> {
  const worker = Number(process.env.JEST_WORKER_ID ?? 1) % WORKERS;
  for (let tries = 0; tries < PORTS_OF_A_WORKER; tries++) {
    const port = LOWEST_PORT + worker * PORTS_OF_A_WORKER + (taken++ % PORTS_OF_A_WORKER);
    if (await isFree(port)) return port;
  }
  throw new Error('All ports of this worker are taken.');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
