import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryTarget } from '../request/query-targets';
import type { LiveAnswer, LiveAnswers } from './live-answers';

const LOOK_MS = 1_000;

interface Look {
  readonly found: LiveAnswer;
  /** Everything that streams are sent a message about when it changes. */
  readonly shown: string;
}

/** Looks at a website once a second for all streams about it, from the first one to the last. */
export class WebsiteWatch {
  private readonly streams = new Set<EventStream>();
  private readonly over = new AbortController();
  private last: Promise<Look>;
  /** Until the last stream has ended, or a look has failed. @throws what failed */
  readonly ended: Promise<void>;

  constructor(
    private readonly target: QueryTarget,
    private readonly answers: Pick<LiveAnswers, 'read'>,
  ) {
    this.last = this.look();
    this.ended = this.watch().finally(() => this.over.abort());
  }

  get isOver(): boolean {
    return this.over.signal.aborted;
  }

  /** Sends what is there now, and from then on what changes. @throws Problem, ReadStoreUnavailable when it cannot be read */
  async join(stream: EventStream): Promise<void> {
    this.streams.add(stream);
    stream.once('close', () => {
      this.streams.delete(stream);
      if (this.streams.size === 0) this.over.abort();
    });
    const { found } = await this.last;
    stream.send(JSON.stringify(found.answer));
  }

  private async watch(): Promise<void> {
    try {
      while (!this.isOver) {
        const started = performance.now();
        const before = await this.last;
        await sleep(Math.max(0, started + LOOK_MS - performance.now()), undefined, { signal: this.over.signal });
        const next = await this.look(before.found);
        this.last = Promise.resolve(next);
        if (next.shown !== before.shown) this.send(JSON.stringify(next.found.answer));
      }
    } catch (error) {
      if (this.isOver) return;
      for (const stream of this.streams) stream.end(); // a client that connects again gets the error
      throw error;
    }
  }

  private async look(known?: LiveAnswer): Promise<Look> {
    const found = await this.answers.read(this.target, this.over.signal, known);
    const { data, meta } = found.answer;
    return { found, shown: JSON.stringify([data, meta.notes]) };
  }

  private send(json: string): void {
    for (const stream of this.streams) stream.send(json);
  }
}

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
