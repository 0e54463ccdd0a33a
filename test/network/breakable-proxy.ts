import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy to a server whose connections a spec can break. */
export interface BreakableProxy {
  readonly port: number;
  /** Resets every connection; new ones are let through. */
  cut(): void;
  /** Resets every connection and refuses new ones, as a machine does where no server runs. */
  refuse(): Promise<void>;
  /** Holds back all data of present and new connections without closing any, as a broken network does. */
  swallow(): void;
  /** Holds back all data of the present connections without closing any, as a firewall that dropped their state. */
  strand(): void;
  /** Ends `refuse`, `swallow` and `strand`; what was sent meanwhile arrives now. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function proxyTo(host: string, port: number): Promise<BreakableProxy> {
  const proxy = new TcpProxy(host, port);
  await proxy.listen();
  return proxy;
}

class TcpProxy implements BreakableProxy {
  port = 0;
  private readonly pairs = new Set<SocketPair>();
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
    for (const pair of this.pairs) pair.reset();
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
    for (const pair of this.pairs) pair.disconnect();
  }

  async mend(): Promise<void> {
    if (!this.server.listening) await this.listen();
    this.isSwallowing = false;
    for (const pair of this.pairs) pair.connect();
  }

  async close(): Promise<void> {
    this.cut();
    if (this.server.listening) await this.refuse();
  }

  private accept(near: Socket): void {
    const pair = new SocketPair(near, connect(this.farPort, this.farHost), () => this.pairs.delete(pair));
    this.pairs.add(pair);
    if (!this.isSwallowing) pair.connect();
  }
}

/** One connection from end to end. */
class SocketPair {
  private isConnected = false;

  constructor(
    private readonly near: Socket,
    private readonly far: Socket,
    onClose: () => void,
  ) {
    for (const socket of [near, far]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        onClose();
        near.destroy();
        far.destroy();
      });
    }
  }

  /** TRICKY: a socket that is piped twice sends every byte twice. */
  connect(): void {
    if (this.isConnected) return;
    this.isConnected = true;
    this.near.pipe(this.far);
    this.far.pipe(this.near);
  }

  disconnect(): void {
    this.isConnected = false;
    this.near.unpipe(this.far).pause();
    this.far.unpipe(this.near).pause();
  }

  reset(): void {
    this.near.resetAndDestroy();
    this.far.resetAndDestroy();
  }
}
