import type { Pool } from 'pg';
import type { HitsRewritten } from '@ledgerline/contracts/events/audit-log.events';
import {
  type ErasureRule,
  ErasureRules,
  hitIdsOfRules,
  isErasure,
  ruleKey,
  rulesOf,
} from '@ledgerline/domain/erasures/erasure-rules';
import { noteErased } from '@ledgerline/platform/database/file-rewrites';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { decidedIn, erasureStream, occurredAt, readWholeStream } from '@ledgerline/platform/event-store/event-store';
import { partitionOf, readEpoch, readHeads, readPartitions } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, isReplaced, type ReaderPosition } from '@ledgerline/platform/log/log-reader';
import type { ReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { countCarriedOut, deleteFindings, readLateHits } from '../runner/erasure-rules';
import { type ErasureStore, erasureEvent } from './decided-erasures';
import { type RewrittenSegment, rewrittenSegments, writeSegments } from './rewritten-segments';

const TYPES = ['SubjectErased', 'ErasureExtended', 'HitsRewritten'] as const;

/** Segments of one receipt, an event of at most 64 KiB. */
const AT_ONCE = 200;

/** An erasure as the event store has it. */
interface Known {
  readonly organizationId: string;
  readonly rules: Map<string, ErasureRule>;
  /** The log of which so many of them are carried out. */
  rewritten: { readonly epoch: string; readonly rules: number };
}

interface Parts {
  readonly store: ErasureStore;
  /** Where the intake log is. */
  readonly database: Pool;
  /** All there are. */
  readonly stores: readonly Pick<ReadStore, 'pool'>[];
}

/** Writes payloads of the intake log anew without hits that are erased, not those that expired, once no table has them. */
export class PayloadRewriter {
  private readonly known = new Map<string, Known>();
  private position: ReaderPosition = { cursor: BEGINNING };

  constructor(private readonly parts: Parts) {}

  /** Answers how many payloads it has written; none while another process does. */
  async rewrite(): Promise<number> {
    const { database, stores } = this.parts;
    await this.readOn();
    const epoch = (await readEpoch(database)) ?? '';
    const late = await Promise.all(stores.map(({ pool }) => readLateHits(pool)));
    const erasures = await this.readyOnes(epoch, new Set(late.flat().map(({ erasureId }) => erasureId)));
    if (erasures.size === 0) return 0;
    const client = await database.connect();
    try {
      const lock = sql`select pg_try_advisory_lock(hashtext('ledgerline rewrite payloads')) as mine`;
      const [claim] = await run<{ mine: boolean }>(client, lock);
      if (!claim?.mine) return 0;
      const payloads = await this.rewriteFor(erasures, epoch, late.flat());
      for (const [at, { pool }] of stores.entries())
        await deleteFindings(
          pool,
          (late[at] ?? []).filter(({ erasureId }) => erasures.has(erasureId)),
        );
      return payloads;
    } finally {
      client.release(true); // with its lock
    }
  }

  private async readOn(): Promise<void> {
    const { store } = this.parts;
    try {
      for (let atHead = false; !atHead;) {
        const { cursor, digest } = this.position;
        const read = await store.read(0, cursor, { max: 1_000, types: TYPES, digest });
        for (const event of decidedIn(read.events))
          if (isErasure(event)) this.add(event, Date.parse(occurredAt(event)));
        this.position = { cursor: read.next, digest: read.digest };
        ({ atHead } = read);
      }
    } catch (error) {
      if (isReplaced(error)) {
        this.position = { cursor: BEGINNING };
        this.known.clear();
      }
      throw error;
    }
  }

  private add(event: Parameters<typeof rulesOf>[0], at: number): void {
    const { organizationId, erasureId } = event.data;
    const known = this.known.get(erasureId) ?? { organizationId, rules: new Map(), rewritten: { epoch: '', rules: 0 } };
    this.known.set(erasureId, known);
    for (const rule of rulesOf(event, at)) known.rules.set(ruleKey(rule), rule);
    if (event.type !== 'HitsRewritten' || event.data.rules === null) return;
    known.rewritten = { epoch: event.data.epoch, rules: event.data.rules };
  }

  /** Returns the erasures that payloads of the log may have hits of, and that every read store has carried out. */
  private async readyOnes(epoch: string, late: ReadonlySet<string>): Promise<ReadonlyMap<string, Known>> {
    const due = [...this.known].filter(([id, known]) => isDue(known, epoch) || late.has(id));
    if (due.length === 0) return new Map();
    const ids = due.map(([id]) => id);
    const carriedOut = await Promise.all(this.parts.stores.map(({ pool }) => countCarriedOut(pool, ids, epoch)));
    return new Map(
      due.filter(([id, { rules }]) =>
        carriedOut.every((counts) => (counts.get(id) ?? 0) >= rules.size && rules.size > 0),
      ),
    );
  }

  private async rewriteFor(
    erasures: ReadonlyMap<string, Known>,
    epoch: string,
    late: readonly ErasureRule[],
  ): Promise<number> {
    const { database } = this.parts;
    const partitions = (await readPartitions(database)) ?? 1;
    const heads = await readHeads(database);
    let payloads = 0;
    let waiting: RewrittenSegment[] = [];
    const receipts = new Receipts(this.parts.store, erasures, epoch);
    const write = async () => {
      await writeSegments(database, waiting, await receipts.append(waiting));
      waiting = [];
    };
    for (const [partition, end] of heads) {
      const rules = [...erasures.values()].flatMap((known) => [...known.rules.values()]);
      const own = rules.filter(({ subject }) => partitionOf(subject, partitions) === partition);
      const from = own.some(({ erasureId }) => isDue(erasures.get(erasureId), epoch))
        ? 0
        : firstOf(late.filter(({ erasureId, subject }) => erasures.has(erasureId) && subject === String(partition)));
      const part = { partition, naming: hitIdsOfRules(own), from, end: Number(end) };
      for await (const segment of rewrittenSegments(database, part, new ErasureRules(own))) {
        waiting.push(segment);
        payloads += 1;
        if (waiting.length === AT_ONCE) await write();
      }
    }
    await write();
    await receipts.finish();
    for (const pool of [database, ...this.parts.stores.map((store) => store.pool)]) await run(pool, noteErased);
    return payloads;
  }
}

const isDue = (known: Known | undefined, epoch: string): boolean =>
  known !== undefined && (known.rewritten.epoch !== epoch || known.rewritten.rules < known.rules.size);

const firstOf = (late: readonly ErasureRule[]): number =>
  late.reduce((first, { id }) => Math.min(first, Number(id)), Infinity);

/** Appends what vouches for rewrites to the streams of their erasures. */
class Receipts {
  constructor(
    private readonly store: ErasureStore,
    private readonly erasures: ReadonlyMap<string, Known>,
    private readonly epoch: string,
  ) {}

  /** Answers the ids of the receipts by erasure. */
  async append(segments: readonly RewrittenSegment[]): Promise<ReadonlyMap<string, string>> {
    const ids = new Map<string, string>();
    const steps = segments.flatMap(({ partition, offset, steps: own }) =>
      own.map((step) => ({ partition, offset, ...step })),
    );
    for (const erasureId of new Set(steps.map((step) => step.erasureId))) {
      const own = steps.filter((step) => step.erasureId === erasureId);
      const payloads = own.map(({ partition, offset, before, after, size }) => {
        return { partition, offset, before, after, size };
      });
      const hits = own.reduce((sum, step) => sum + step.hits, 0);
      const organizationId = own[0]?.organizationId ?? '';
      ids.set(
        erasureId,
        await this.appendOne({ organizationId, erasureId, epoch: this.epoch, payloads, hits, rules: null }),
      );
    }
    return ids;
  }

  /** Records that the erasures are carried out; after their payloads are written. */
  async finish(): Promise<void> {
    const { epoch } = this;
    for (const [erasureId, known] of this.erasures) {
      const { organizationId, rules } = known;
      if (!isDue(known, epoch)) continue;
      await this.appendOne({ organizationId, erasureId, epoch, payloads: [], hits: 0, rules: rules.size });
    }
  }

  private async appendOne(data: HitsRewritten['data']): Promise<string> {
    const stream = erasureStream(data.organizationId, data.erasureId);
    const event = erasureEvent('RewriteHits', { type: 'HitsRewritten', data });
    for (let isStored = false; !isStored;) {
      const events = await readWholeStream(this.store, stream); // after a conflict again
      ({ ok: isStored } = await this.store.append(stream, events.length - 1, [event]));
    }
    return event.id;
  }
}
