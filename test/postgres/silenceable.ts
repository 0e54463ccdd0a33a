import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** A proxy that can swallow what the client says. */
export async function silenceable(target: number) {
  let silent = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined));
    client.on('data', (data) => silent || upstream.write(data));
    client.on('close', () => upstream.destroy());
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    silence(on: boolean) {
      silent = on;
      if (!on) for (const socket of sockets) socket.destroy();
    },
    close: () => server.close(),
  };
}
