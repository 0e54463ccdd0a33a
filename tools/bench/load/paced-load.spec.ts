import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pacedLoad } from './paced-load';

describe('a load at a rate', () => {
  it('sends as many requests as the time has, and counts those that are not answered as expected', async () => {
    const { port } = server.address() as AddressInfo;
    const pace = { url: `http://127.0.0.1:${port}`, connections: 4, seconds: 1, rate: 40 };
    const { answered, failed, p50, lateP99 } = await pacedLoad(pace, () => ({ path: '/', method: 'GET', headers: {} }));
    expect({ requests, answered, failed }).toEqual({ requests: 40, answered: 30, failed: 10 });
    expect([p50, lateP99].every(Number.isFinite)).toBe(true);
  });

  let server: Server;
  let requests = 0;

  beforeAll(async () => {
    server = createServer((_, response) => response.writeHead(requests++ % 4 === 0 ? 503 : 200).end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterAll(() => server.close());
});
