import { createServer, type AddressInfo } from 'node:net';
import type { Settings } from '@ledgerline/platform/config/settings';

/** Fails as a listening app would, before anything is started. */
export async function checkPorts({ listenAddress, apiPort, trackerPort }: Settings): Promise<void> {
  for (const port of [apiPort, trackerPort]) await listenOnce(listenAddress, port);
}

/** The wanted port of this machine where it is free, else any free one. */
export const freePort = (wanted = 0): Promise<number> =>
  listenOnce('127.0.0.1', wanted).catch(() => listenOnce('127.0.0.1', 0));

/** Answers the port, which the system chooses for 0. */
function listenOnce(address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, address, () => {
      const { port: listened } = server.address() as AddressInfo;
      server.close(() => resolve(listened));
    });
  });
}
