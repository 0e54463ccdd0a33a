import type { IncomingMessage, ServerResponse } from 'node:http';
import { isPublicAddress } from '@ledgerline/platform/outbound/guarded-fetch';
import { ClientDocuments } from '../../apps/api/src/identity/accounts/oauth-plugins';
import { startTestApi, type TestApi } from '../api/test-api';
import { freePort } from '../network/free-port';
import { startHttpsServer, type HttpsServer } from '../outbound/https-server';
import { CLIENT, CLIENT_HOST, publishAt } from './client';

export interface OAuthApi {
  readonly api: TestApi;
  /** Its public address. */
  readonly host: string;
  /** The server of the documents of clients. */
  readonly documents: HttpsServer;
}

/** Has an address of a private network, too. */
export const PRIVATE_HOST = 'private.example.com';

/** An api that listens on its public address, and clients that publish their documents on a server of their own. */
export async function startOAuthApi(
  documentAt: (address: string) => Response = () => documentOf(CLIENT),
): Promise<OAuthApi> {
  const port = await freePort();
  const host = `http://127.0.0.1:${port}`;
  const api = await startTestApi({ PUBLIC_API_URL: host, LIMIT_FAILED_AUTH_PER_MINUTE: '100000' }, {}, port);
  const documents = await startHttpsServer([CLIENT_HOST, PRIVATE_HOST], ({ headers, url }: IncomingMessage, reply) => {
    void send(documentAt(`https://${headers.host}${url}`), reply);
  });
  publishAt(documents.port);
  // names and certificate of that server are the only things that it has not of the web
  api.app.get(ClientDocuments).guard = {
    resolve: (name) => Promise.resolve(name === PRIVATE_HOST ? ['127.0.0.1', '10.0.0.7'] : ['127.0.0.1']),
    allows: (address) => address === '127.0.0.1' || isPublicAddress(address),
    ca: documents.ca,
  };
  const close = async () => {
    await documents.close();
    await api.close();
  };
  return { api: { ...api, close }, host, documents };
}

async function send(document: Response, reply: ServerResponse): Promise<void> {
  reply.writeHead(document.status, Object.fromEntries(document.headers));
  reply.end(Buffer.from(await document.arrayBuffer()));
}

/** As a client publishes it. */
export const documentOf = (client: object): Response =>
  Response.json(client, { headers: { 'cache-control': 'max-age=300' } });
