import type { Settings } from '@ledgerline/platform/config/settings';
import { createServer } from 'node:net';

/** Fails before anything is started if a port cannot be listened on. */
export async function checkPorts({ listenAddress, apiPort, trackerPort }: Settings): Promise<void> {
  for (const port of [apiPort, trackerPort]) await listenOnce(listenAddress, port);
}

function listenOnce(address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, address, () => server.close(() => resolve()));
  });
}
