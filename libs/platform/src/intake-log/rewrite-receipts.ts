import type { HitsRewritten } from '@ledgerline/contracts/events/audit-log.events';
import { type Queryable, run } from '../database/pool';
import { sql } from '../database/sql';
import { decidedIn, type EventStore, erasureStream, readWholeStream } from '../event-store/event-store';
import { BEGINNING, type ReaderPosition } from '../log/log-reader';
import { INTAKE_LOG_CHANGED, type InvalidSegment, type Rewrite } from './segment-chain';

/** A rewrite of a segment. */
export interface SegmentRewrite extends Rewrite {
  readonly partition: number;
  readonly offset: number;
}

/** The receipts of rewritten payloads: events in the chains of the organizations that asked for it. */
export class RewriteReceipts {
  private read: { readonly stream: string; readonly receipts: ReadonlyMap<string, HitsRewritten['data']> } | undefined;

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  /** Returns whether the receipt that a rewrite names is there, and says the same. */
  async isReceipted({ organizationId, erasureId, eventId, ...rewrite }: SegmentRewrite): Promise<boolean> {
    const receipt = (await this.receiptsIn(erasureStream(organizationId, erasureId))).get(eventId);
    const isIt = (payload: HitsRewritten['data']['payloads'][number]) =>
      payload.partition === rewrite.partition &&
      payload.offset === rewrite.offset &&
      payload.before === rewrite.before &&
      payload.after === rewrite.after &&
      payload.size === rewrite.size;
    return receipt?.payloads.some(isIt) ?? false;
  }

  /**
   * Returns the receipts of a stream; those of the one that was read last are kept: rewrites of an erasure come
   * together.
   */
  private async receiptsIn(stream: string) {
    if (this.read?.stream === stream) return this.read.receipts;
    const receipts = new Map<string, HitsRewritten['data']>();
    for (const { id, ...event } of decidedIn(await readWholeStream(this.store, stream)))
      if (event.type === 'HitsRewritten') receipts.set(id, event.data);
    this.read = { stream, receipts };
    return receipts;
  }
}

/** A segment that has hits again which a receipt says are gone; undefined if there is none. */
export async function findUndone(
  database: Queryable,
  store: Pick<EventStore, 'read'>,
  epoch: string | undefined,
): Promise<InvalidSegment | undefined> {
  const finished = new Set<string>();
  const named = new Map<string, Omit<InvalidSegment, 'finding'> & { readonly erasureId: string }>();
  let position: ReaderPosition = { cursor: BEGINNING };
  for (let atHead = false; !atHead;) {
    const { cursor, digest } = position;
    const read = await store.read(0, cursor, { max: 1_000, types: ['HitsRewritten'], digest });
    for (const { type, data } of decidedIn(read.events)) {
      if (type !== 'HitsRewritten' || data.epoch !== epoch) continue;
      const { erasureId } = data;
      if (data.rules !== null) finished.add(erasureId); // before that a segment may not be written yet
      for (const { partition, offset } of data.payloads)
        named.set(`${erasureId} ${partition} ${offset}`, { erasureId, partition, offset });
    }
    position = { cursor: read.next, digest: read.digest };
    ({ atHead } = read);
  }
  for await (const { erasureId, partition, offset } of rewritesIn(database))
    named.delete(`${erasureId} ${partition} ${offset}`);
  const undone = [...named.values()].find(({ erasureId }) => finished.has(erasureId));
  return undone && { partition: undone.partition, offset: undone.offset, finding: 'payload_restored' };
}

/** Finds rewrites without a receipt; those that were proven once are not looked up again. */
export class ProvenRewrites {
  private readonly proven = new Set<string>();
  private digest = '';

  constructor(
    private readonly database: Queryable,
    private readonly store: Pick<EventStore, 'readStream'>,
  ) {}

  /** A sentence for each partition that has some. */
  async findForged(): Promise<ReadonlyMap<number, string>> {
    const forged = new Map<number, string>();
    const [{ digest } = { digest: '' }] = await run<{ digest: string }>(
      this.database,
      sql`select concat(count(*), ' ', bit_xor(('x' || left(encode(chain, 'hex'), 16))::bit(64)::bigint)) as digest
        from intake_rewrites`,
    );
    if (digest === this.digest) return forged;
    const receipts = new RewriteReceipts(this.store);
    for await (const rewrite of rewritesIn(this.database)) {
      const key = `${rewrite.partition} ${rewrite.offset} ${rewrite.chain}`;
      if (this.proven.has(key)) continue;
      if (await receipts.isReceipted(rewrite)) this.proven.add(key);
      else
        forged.set(
          rewrite.partition,
          `${INTAKE_LOG_CHANGED}: partition ${rewrite.partition}, offset ${rewrite.offset}: no receipt of an erasure names the rewrite of the segment.`,
        );
    }
    if (forged.size === 0) this.digest = digest;
    return forged;
  }
}

const PAGE = 5_000;

/** By erasure. */
async function* rewritesIn(database: Queryable): AsyncGenerator<SegmentRewrite> {
  let after: readonly [string, number, number, number] = ['', 0, 0, 0];
  for (;;) {
    const [erasure, partition, offset, number] = after;
    const rows = await run<SegmentRewrite>(
      database,
      sql`select segment_partition as partition, segment_offset::float8 as offset, number, encode(before_hash, 'hex') as before,
          encode(after_hash, 'hex') as after, size, organization_id as "organizationId", erasure_id as "erasureId",
          event_id as "eventId", encode(chain, 'hex') as chain
        from intake_rewrites
        where (erasure_id, segment_partition, segment_offset, number) > (${erasure}, ${partition}::integer, ${offset}::bigint, ${number}::integer)
        order by erasure_id, segment_partition, segment_offset, number limit ${PAGE}`,
    );
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = [last.erasureId, last.partition, last.offset, last.number];
  }
}
