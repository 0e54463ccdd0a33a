import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { ClientDocuments } from '../../apps/api/src/accounts/client-documents';
import { startTestApi, type TestApi } from '../api/test-api';
import { CLIENT } from './client';

export interface OAuthApi {
  readonly api: TestApi;
  /** Its public address. */
  readonly host: string;
}

/** An api that listens on its public address, and finds the documents of clients without the web. */
export async function startOAuthApi(
  documents: (address: string) => Response = () => documentOf(CLIENT),
): Promise<OAuthApi> {
  const port = await freePort();
  const host = `http://127.0.0.1:${port}`;
  const api = await startTestApi({ PUBLIC_API_URL: host, LIMIT_FAILED_AUTH_PER_MINUTE: '100000' }, {}, port);
  jest
    .spyOn(api.app.get(ClientDocuments), 'fetch')
    .mockImplementation((address) => Promise.resolve(documents(String(address))));
  return { api, host };
}

/** As a client publishes it. */
export const documentOf = (client: object): Response =>
  Response.json(client, { headers: { 'cache-control': 'max-age=300' } });

/** TRICKY: free until somebody else takes it. A public address must be known before the api listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
