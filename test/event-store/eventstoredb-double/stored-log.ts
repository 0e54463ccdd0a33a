import { lastOf } from '@ledgerline/platform/event-store/append-decision';

/** An event as the double keeps it; a link names another by `revision@stream` in its data. */
export interface StoredEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export type Proposed = Pick<StoredEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

export type AppendOutcome =
  | { readonly ok: true; readonly last: StoredEvent }
  | { readonly ok: false; readonly actual: number; readonly expected: number };

/** What EventStoreDB keeps, with its rules of revisions and idempotency, and its category projection. */
export class StoredLog {
  /** In order of position; a spec may tamper with it. */
  all: StoredEvent[] = [];
  private end = 100;

  /** `expected` -1 = no stream. The body is not compared, and the same ids at the tail are written again, as there. */
  append(stream: string, expected: number, proposed: readonly Proposed[]): AppendOutcome {
    const own = this.of(stream);
    const actual = own.length - 1;
    if (actual !== expected) {
      const there = proposed.map(({ id }, at) =>
        own.find((stored) => stored.id === id && stored.revision === expected + 1 + at),
      );
      const last = there.at(-1);
      return last && there.every(Boolean) ? { ok: true, last } : { ok: false, actual, expected };
    }
    const written = proposed.map((event, at) => this.store({ ...event, stream, revision: expected + 1 + at }));
    for (const event of written) this.link(event);
    return { ok: true, last: lastOf(written) };
  }

  of(stream: string): StoredEvent[] {
    return this.all.filter((stored) => stored.stream === stream);
  }

  /** Undefined when the event is gone. */
  targetOf(link: StoredEvent): StoredEvent | undefined {
    const [revision, stream] = Buffer.from(link.data).toString().split('@', 2);
    return this.all.find((stored) => stored.stream === stream && stored.revision === Number(revision));
  }

  private store(event: Omit<StoredEvent, 'position'>): StoredEvent {
    this.end += 100;
    const stored = { ...event, position: this.end };
    this.all.push(stored);
    return stored;
  }

  private link({ id, stream, revision }: StoredEvent): void {
    const category = `$ce-${stream.slice(0, stream.indexOf('-'))}`;
    this.store({
      id: id.replace(/^./, 'f'),
      stream: category,
      revision: this.of(category).length,
      type: '$>',
      contentType: 'application/octet-stream',
      data: Buffer.from(`${revision}@${stream}`),
      metadata: new Uint8Array(),
    });
  }
}
