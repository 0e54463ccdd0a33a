import { Readable } from 'node:stream';

/** A reader that is so far behind is dropped: each message is all there is to show, so it misses nothing when it returns. */
const MAX_WAITING_BYTES = 256 * 1024;

/** After so long a browser connects again. */
const RETRY_MS = 2_000;

/** Proxies end connections on which nothing is sent for some time, often a minute. */
const HEARTBEAT_MS = 15_000;

/** A reader that has not taken the last messages after so long is dropped, too. */
const END_MS = 5_000;

/** Server-Sent Events to one client. */
export class EventStream extends Readable {
  private readonly heartbeat = setInterval(() => this.write(':\n\n'), HEARTBEAT_MS);

  private isEnding = false;

  constructor() {
    super({ highWaterMark: MAX_WAITING_BYTES, read: () => undefined });
    this.once('close', () => clearInterval(this.heartbeat));
    this.write(`retry: ${RETRY_MS}\n\n`);
  }

  /** JSON has no line breaks of its own. */
  send(json: string): void {
    this.write(`data: ${json}\n\n`);
  }

  /** After what was sent. */
  end(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.push(null);
    const dropped = setTimeout(() => this.destroy(), END_MS);
    this.once('close', () => clearTimeout(dropped));
  }

  private write(text: string): void {
    if (this.isEnding || this.destroyed) return;
    if (!this.push(text)) this.destroy();
  }
}
