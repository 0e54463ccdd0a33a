import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CredentialProxy {
  readonly url: string;
  /** Where requests go from now on, and with which API key. */
  forward(port: number, key: string): void;
  close(): Promise<void>;
}

/** Adds a key to the requests of a client that cannot send one; everything else goes through as it came. */
export async function startCredentialProxy(): Promise<CredentialProxy> {
  let target = { port: 0, key: '' };
  const server = createServer((incoming, answer) => {
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, 'x-api-key': target.key };
    const outgoing = request({ host: '127.0.0.1', port: target.port, method, path, headers });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forward: (port, key) => void (target = { port, key }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
