import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can be cut. */
export interface BreakableProxy {
  readonly port: number;
  /** Resets every connection; new ones are let through. */
  cut(): void;
  close(): Promise<void>;
}

export async function proxyTo(host: string, port: number): Promise<BreakableProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => sockets.forEach((socket) => socket.resetAndDestroy());
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
