import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to a server that can be cut. */
export interface BreakableProxy {
  readonly port: number;
  /** Resets every connection; new ones are let through. */
  cut(): void;
  /** Resets every connection and refuses new ones, as a machine does where no server runs. */
  refuse(): Promise<void>;
  /** Lets nothing through and tells nobody, as a broken network does; what was sent arrives when it is mended. */
  swallow(): void;
  /** Lets nothing more through what is connected and tells nobody, as a firewall that forgot it; new connections work. */
  strand(): void;
  /** Ends what `refuse` or `swallow` began. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function proxyTo(host: string, port: number): Promise<BreakableProxy> {
  const proxy = new TcpProxy(host, port);
  await proxy.listen();
  return proxy;
}

/** One connection from end to end. */
type Pair = readonly [near: Socket, far: Socket];

class TcpProxy implements BreakableProxy {
  port = 0;
  private readonly pairs = new Set<Pair>();
  private readonly server: Server;
  private isSwallowing = false;

  constructor(
    private readonly farHost: string,
    private readonly farPort: number,
  ) {
    this.server = createServer((near) => this.accept(near));
  }

  async listen(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  cut(): void {
    for (const socket of [...this.pairs].flat()) socket.resetAndDestroy();
  }

  async refuse(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.cut();
    await closed;
  }

  swallow(): void {
    this.isSwallowing = true;
    this.strand();
  }

  strand(): void {
    for (const [near, far] of this.pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
  }

  async mend(): Promise<void> {
    if (!this.server.listening) await this.listen();
    this.isSwallowing = false;
    for (const pair of this.pairs) join(pair);
  }

  async close(): Promise<void> {
    this.cut();
    if (this.server.listening) await this.refuse();
  }

  private accept(near: Socket): void {
    const pair: Pair = [near, connect(this.farPort, this.farHost)];
    this.pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
    if (!this.isSwallowing) join(pair);
  }
}

function join([near, far]: Pair): void {
  near.pipe(far);
  far.pipe(near);
}
