import { randomUUID } from 'node:crypto';
import { lastOf } from '@ledgerline/platform/event-store/appended-events';
import { StreamLimits } from './stream-limits';

/** An event as the double keeps it; a link names another by `revision@stream` in its data. */
export interface StoredEvent {
  readonly id: string;
  readonly stream: string;
  /** Infinite for the end of a stream that has a tombstone: 2^63 - 1. */
  readonly revision: number;
  readonly position: number;
  /** By the clock of the server. */
  readonly created: Date;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export type Proposed = Pick<StoredEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

export type AppendOutcome =
  | { readonly ok: true; readonly last: StoredEvent }
  | { readonly ok: false; readonly actual: number; readonly expected: number };

const EVENT_LENGTH = 100;

/**
 * The log that EventStoreDB keeps, with its rules of revisions, idempotency and deleted streams, and its category
 * projection.
 */
export class StoredLog {
  /** In order of position; a spec may tamper with it. */
  all: StoredEvent[] = [];
  /** State of the category projection, which links nothing unless it runs. */
  projection = 'Running';
  private end: number;
  /** The first revision of a stream that can be read, where those before it were deleted. */
  private readonly truncatedBefore = new Map<string, number>();
  private readonly tombstones = new Set<string>();
  private readonly limits = new StreamLimits();

  /** `begin` sets the positions of all events, each of which is so long: logs that begin elsewhere have none in common. */
  constructor(private readonly begin = EVENT_LENGTH) {
    this.end = begin;
  }

  /**
   * Returns whether `$all` can be read from a position: an event begins there, or nothing is there yet; undefined = an
   * end of the log.
   */
  hasPosition(position: number | undefined): boolean {
    return position === undefined || position > this.end || (position - this.begin) % EVENT_LENGTH === 0;
  }

  /** As a backup of the server's data has it. */
  copy(): StoredLog {
    const copy = new StoredLog(this.begin);
    copy.projection = this.projection;
    copy.all = [...this.all];
    copy.end = this.end;
    for (const [stream, revision] of this.truncatedBefore) copy.truncatedBefore.set(stream, revision);
    for (const stream of this.tombstones) copy.tombstones.add(stream);
    copy.limits.copy(this.limits);
    return copy;
  }

  /** `expected` -1 = no stream. The body is not compared, and the same ids at the tail are written again, as there. */
  append(stream: string, expected: number, proposed: readonly Proposed[]): AppendOutcome {
    const own = this.of(stream);
    const actual = own.length - 1;
    const isBegunAgain = expected < 0 && actual >= 0 && actual < (this.truncatedBefore.get(stream) ?? 0);
    if (actual !== expected && !isBegunAgain) {
      const there = proposed.map(({ id }, at) =>
        own.find((stored) => stored.id === id && stored.revision === expected + 1 + at),
      );
      const last = there.at(-1);
      return last && there.every(Boolean) ? { ok: true, last } : { ok: false, actual, expected };
    }
    const written = proposed.map((event, at) => this.store({ ...event, stream, revision: actual + 1 + at }));
    if (stream.startsWith('$ce-')) this.projection = 'Faulted'; // of all categories, and for good
    if (this.projection === 'Running') for (const event of written) this.link(event);
    this.limits.see(stream, lastOf(written));
    return { ok: true, last: lastOf(written) };
  }

  /** A deleted stream reads as absent; its events stay in `$all`, and its revisions go on when it is begun again. */
  delete(stream: string): void {
    this.truncatedBefore.set(stream, this.of(stream).length);
    this.mark(`$$${stream}`, '$metadata', this.of(`$$${stream}`).length, '{"$tb":9223372036854775807}');
  }

  /** Neither read nor written any more. */
  tombstone(stream: string): void {
    this.tombstones.add(stream);
    this.mark(stream, '$streamDeleted', Infinity);
  }

  isTombstoned(stream: string): boolean {
    return this.tombstones.has(stream);
  }

  /** Returns what can be read of a stream. */
  visible(stream: string): StoredEvent[] {
    if (this.isTombstoned(stream)) return [];
    const left = this.of(stream).filter(({ revision }) => revision >= (this.truncatedBefore.get(stream) ?? 0));
    return this.limits.shown(stream, left);
  }

  /** The newest revision of a stream, -1 for none. */
  lastOf(stream: string): number {
    return this.of(stream).length - 1;
  }

  of(stream: string): StoredEvent[] {
    return this.all.filter((stored) => stored.stream === stream && stored.revision !== Infinity);
  }

  /** Undefined when the event is gone. */
  targetOf(link: StoredEvent): StoredEvent | undefined {
    const [revision, stream] = Buffer.from(link.data).toString().split('@', 2);
    return this.visible(stream ?? '').find((stored) => stored.revision === Number(revision));
  }

  /** Writes what the server itself does when a stream is deleted; it stands in `$all` and in no category. */
  private mark(stream: string, type: string, revision: number, data = ''): void {
    const contentType = data === '' ? 'application/octet-stream' : 'application/json';
    const rest = { data: Buffer.from(data), metadata: new Uint8Array() };
    this.store({ id: randomUUID(), stream, revision, type, contentType, ...rest });
  }

  private store(event: Omit<StoredEvent, 'position' | 'created'>): StoredEvent {
    this.end += EVENT_LENGTH;
    const stored = { ...event, position: this.end, created: new Date() };
    this.all.push(stored);
    return stored;
  }

  private link({ id, stream, revision }: StoredEvent): void {
    if (!stream.includes('-')) return; // it is in no category
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
