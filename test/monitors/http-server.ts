import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpServer {
  readonly port: number;
  readonly url: string;
  /** All that it was asked, the oldest first. */
  readonly requests: readonly Pick<IncomingMessage, 'url' | 'method' | 'headers' | 'rawHeaders'>[];
  close(): Promise<void>;
}

/** A server on loopback. */
export async function startHttpServer(listener: RequestListener, port = 0): Promise<HttpServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, reply) => {
    requests.push(request);
    listener(request, reply);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: actual } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { port: actual, url: `http://127.0.0.1:${actual}/`, requests, close };
}
