import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { newAuthority } from '../event-store/eventstoredb-double/certificates';

export interface HttpsServer {
  readonly port: number;
  /** The certificate of the authority that has signed its own, in PEM. */
  readonly ca: string;
  /** To what and for which name it was connected to. */
  readonly connections: readonly { readonly address: string | undefined; readonly name: string | false | null }[];
  close(): Promise<void>;
}

/** A server on loopback with a certificate for these names. */
export async function startHttpsServer(names: readonly string[], listener: RequestListener): Promise<HttpsServer> {
  const authority = newAuthority();
  const { certificate: cert, key } = authority.issue(undefined, names);
  const connections: HttpsServer['connections'][number][] = [];
  const server = createServer({ cert, key }, listener).listen(0, '127.0.0.1');
  server.on('secureConnection', ({ localAddress, servername }: TLSSocket & { servername: string | false | null }) => {
    connections.push({ address: localAddress, name: servername });
  });
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { port: (server.address() as AddressInfo).port, ca: authority.certificate, connections, close };
}
