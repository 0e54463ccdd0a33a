import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryTarget } from '../query/request/query-targets';
import type { EventStream } from './event-stream';
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
      for (const stream of this.streams) stream.end(); // whoever comes back is told why
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
