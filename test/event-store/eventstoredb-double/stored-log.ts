import { lastOf } from '@ledgerline/platform/event-store/append-decision';

/** An event as the double keeps it; a link names another by `revision@stream` in its data. */
export interface Kept {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export type Proposed = Pick<Kept, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

export type Landing =
  | { readonly ok: true; readonly last: Kept }
  | { readonly ok: false; readonly actual: number; readonly expected: number };

/** What EventStoreDB keeps, with its rules of revisions and idempotency, and its category projection. */
export class StoredLog {
  /** In order of position; a spec may tamper with it. */
  all: Kept[] = [];
  private end = 100;

  /** `expected` -1 = no stream. The body is not compared, and the same ids at the tail are written again, as there. */
  append(stream: string, expected: number, proposed: readonly Proposed[]): Landing {
    const own = this.of(stream);
    const actual = own.length - 1;
    if (actual !== expected) {
      const there = proposed.map(({ id }, at) =>
        own.find((kept) => kept.id === id && kept.revision === expected + 1 + at),
      );
      const last = there.at(-1);
      return last && there.every(Boolean) ? { ok: true, last } : { ok: false, actual, expected };
    }
    const written = proposed.map((event, at) => this.keep({ ...event, stream, revision: expected + 1 + at }));
    for (const event of written) this.link(event);
    return { ok: true, last: lastOf(written) };
  }

  of(stream: string): Kept[] {
    return this.all.filter((kept) => kept.stream === stream);
  }

  /** Undefined when the event is gone. */
  targetOf(link: Kept): Kept | undefined {
    const [revision, stream] = Buffer.from(link.data).toString().split('@', 2);
    return this.all.find((kept) => kept.stream === stream && kept.revision === Number(revision));
  }

  private keep(event: Omit<Kept, 'position'>): Kept {
    this.end += 100;
    const kept = { ...event, position: this.end };
    this.all.push(kept);
    return kept;
  }

  private link({ id, stream, revision }: Kept): void {
    const category = `$ce-${stream.slice(0, stream.indexOf('-'))}`;
    this.keep({
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
