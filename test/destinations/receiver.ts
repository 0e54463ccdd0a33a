import { once } from 'node:events';
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The answer of a receiver to the n-th request, from 1; `undefined` = it stays silent. */
type Answers = (received: Received, n: number) => number | undefined | Promise<number | undefined>;

/** A receiver on loopback, which may be away for a while. */
export interface Receiver {
  readonly url: string;
  /** All that it got, the oldest first. */
  readonly received: readonly Received[];
  answers: Answers;
  /** The headers that it sends beside the status. */
  headers: Readonly<Record<string, string>>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let port = 0;
  const make = () =>
    createServer((request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => void take(request.headers, Buffer.concat(chunks).toString(), reply));
    });
  const take = async (headers: IncomingHttpHeaders, body: string, reply: ServerResponse) => {
    const one = { id: String(headers['webhook-id']), headers, body };
    received.push(one);
    const status = await receiver.answers(one, received.length);
    if (status !== undefined) reply.writeHead(status, receiver.headers).end(`answer ${status}`);
  };
  let server = make();
  const receiver: Receiver = {
    url: '',
    received,
    answers: () => 204,
    headers: {},
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    start: async () => {
      server = make().listen(port, '127.0.0.1');
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
    },
  };
  await receiver.start();
  return Object.assign(receiver, { url: `http://127.0.0.1:${port}/hook?token=1` });
}
