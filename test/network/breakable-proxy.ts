import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

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
  /** Delays every packet by so many ms, in both directions; 0 = not at all. */
  slow(delayMs: number): void;
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
  private delayMs = 0;

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

  slow(delayMs: number): void {
    this.delayMs = delayMs;
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
    const ways = [delayed(() => this.delayMs), delayed(() => this.delayMs)] as const;
    const pair = new SocketPair(near, connect(this.farPort, this.farHost), ways, () => this.pairs.delete(pair));
    this.pairs.add(pair);
    if (!this.isSwallowing) pair.connect();
  }
}

/** Passes data on, one packet after another. */
const delayed = (delayMs: () => number): Transform =>
  new Transform({
    transform(packet: Buffer, _encoding, pass) {
      if (delayMs() === 0) pass(null, packet);
      else setTimeout(() => pass(null, packet), delayMs());
    },
  });

/** One connection from end to end. */
class SocketPair {
  private isConnected = false;

  constructor(
    private readonly near: Socket,
    private readonly far: Socket,
    private readonly ways: readonly [toFar: Transform, toNear: Transform],
    onClose: () => void,
  ) {
    ways[0].pipe(far);
    ways[1].pipe(near);
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
    this.near.pipe(this.ways[0]);
    this.far.pipe(this.ways[1]);
  }

  disconnect(): void {
    this.isConnected = false;
    this.near.unpipe(this.ways[0]).pause();
    this.far.unpipe(this.ways[1]).pause();
  }

  reset(): void {
    this.near.resetAndDestroy();
    this.far.resetAndDestroy();
  }
}
