import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import {
  type EventStore,
  decidedIn,
  erasureStream,
  readWholeStream,
} from '@ledgerline/platform/event-store/event-store';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { findUndone, ProvenRewrites, RewriteReceipts } from '@ledgerline/platform/intake-log/rewrite-receipts';
import { rewriteHash } from '@ledgerline/platform/intake-log/segment-chain';
import { BEGINNING } from '@ledgerline/platform/log/log-reader';
import { eachKindOf } from '@test/events/each-kind';
import { pageView } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { verifyIntakeLog } from '../../../../scripts/audit/verify-segments';
import { openProjectionPool } from '../open-pool';
import { rebuild } from '../rebuild/rebuild';
import { reconcilePartition } from '../reconcile/run-reconciling';
import { type BoundGroup, boundGroups } from '../runner/bound-group';
import { hasVisits } from '../runner/erasure-rules';
import { openLiveVersion } from '../versions/live-version';
import { createIndexes } from '../versions/version-tables';
import { DecidedErasures } from './decided-erasures';
import { eraseVisits } from './erase-visits';
import { PayloadRewriter } from './rewrite-payloads';

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const CAT = 'c'.repeat(32);
const START = Date.parse('2026-05-24T12:00:00Z');

describe('payloads of the log with erased hits', () => {
  it('are rewritten for several erasures: headers, offsets and digests of readers stay, the rest of the hits too', async () => {
    const before = await events();
    const digests = await headers();
    const { next, digest } = await log.read(0, BEGINNING, { max: 3 });
    await erase('era_ann', ANN);
    await erase('era_cat', CAT);
    expect(await rewriter.rewrite()).toBe(3);
    const left = before.filter(({ event }) => visitorOf(event) === BOB);
    expect(left).toHaveLength(8);
    expect(await events()).toEqual(left);
    expect(await headers()).toEqual(digests);
    const read = await log.read(0, next, { max: 100, digest });
    expect(read.events.map(({ offset }) => offset)).toEqual(
      left.map(({ offset }) => offset).filter((offset) => offset > Number(next)),
    );
    expect(await verify()).toMatchObject({ valid: true, segments: 3, events: before.length });
    expect(await receipts('era_ann')).toMatchObject([
      { payloads: [{ offset: 0 }, { offset: 8 }, { offset: 11 }], hits: 9, rules: null },
      { payloads: [], rules: 1 },
    ]);
    expect(await rewriter.rewrite()).toBe(0);
    const compared = { partition: 0, goesOn: false, rest: () => Promise.resolve() };
    for (const group of groups) {
      await reconcilePartition({ ...compared, group, onFinding: fail });
      expect(await rebuild({ group, flip: true })).toMatchObject({ flipped: true });
    }
  });

  it('are rewritten again for hits that arrive late, and once the log was restored', async () => {
    await erase('era_ann', ANN);
    await rewriter.rewrite();
    await run(pool, sql`update intake_log set epoch = gen_random_uuid()`);
    await run(pool, sql`update projection_checkpoints set epoch = (select epoch::text from intake_log)`);
    await carryOut();
    expect(await rewriter.rewrite()).toBe(0);
    expect((await receipts('era_ann')).map(({ rules }) => rules)).toEqual([null, 1, 1]);
    await send([view(ANN, 5), view(BOB, 6)]);
    await project();
    expect(await rewriter.rewrite()).toBe(1);
    await send([judgedBot(view(ANN, 7)), judgedBot(view(BOB, 8))]);
    await project();
    expect(await rewriter.rewrite()).toBe(1);
    expect((await events()).filter(({ event }) => JSON.stringify(event).includes(ANN))).toEqual([]);
    expect(await rewriter.rewrite()).toBe(0);
  });

  it('wait until every read store has carried out the erasure', async () => {
    await decide('era_ann', ANN);
    expect(await rewriter.rewrite()).toBe(0);
    await carryOut();
    expect(await rewriter.rewrite()).toBe(3);
  });

  it.each([
    ['payload', `update intake_segments set payload = payload || '\\x00' where first_offset = 0`, 'payload_changed'],
    ['row', `update intake_rewrites set size = size + 1 where segment_offset = 0`, 'payload_forged'],
    ['row that is gone', `delete from intake_rewrites where segment_offset = 0`, 'payload_changed'],
  ])('are no payload that was changed afterwards: a %s', async (_, change, finding) => {
    await erase('era_ann', ANN);
    await rewriter.rewrite();
    await run(pool, { text: change, values: [] });
    expect(await verify()).toMatchObject({ valid: false, firstInvalid: { offset: 0, finding } });
    await expect(log.read(0, BEGINNING, { max: 100 })).rejects.toThrow('is not what was written');
  });

  it('are no payload that was rewritten without a receipt, whatever is written beside it', async () => {
    await erase('era_ann', ANN);
    await rewriter.rewrite();
    const proven = new ProvenRewrites(pool, store);
    expect(await proven.findForged()).toEqual(new Map());
    await forge();
    expect(await verify()).toMatchObject({ valid: false, firstInvalid: { offset: 8, finding: 'payload_forged' } });
    expect([...(await proven.findForged())]).toEqual([
      [0, expect.stringContaining('offset 8: no receipt of an erasure names the rewrite') as string],
    ]);
  });

  it('are no payload that was put back as it was, together with the row beside it', async () => {
    const [stored] = await run<{ payload: Buffer }>(
      pool,
      sql`select payload from intake_segments where first_offset = 8`,
    );
    await erase('era_ann', ANN);
    await rewriter.rewrite();
    const undone = async () => findUndone(pool, store, await log.epoch());
    expect(await undone()).toBeUndefined();
    await run(pool, sql`update intake_segments set payload = ${stored?.payload} where first_offset = 8`);
    await run(pool, sql`delete from intake_rewrites where segment_offset = 8`);
    expect(await verify()).toMatchObject({ valid: true });
    expect(await undone()).toEqual({ partition: 0, offset: 8, finding: 'payload_restored' });
  });

  let database: TestDatabase;
  let pool: Pool;
  let log: IntakeLog;
  let store: EventStore;
  let groups: readonly BoundGroup[];
  let decided: ReadonlyMap<BoundGroup, DecidedErasures>;
  let rewriter: PayloadRewriter;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 6 });
    store = await openEventStore({ databaseUrl: database.url });
    log = await openIntakeLog({ databaseUrl: database.url, partitions: 1 });
    groups = boundGroups({ eventStore: store, intakeLog: log, pool }).filter(hasVisits);
    decided = new Map(groups.map((group) => [group, new DecidedErasures(store)]));
    for (const group of groups) await createIndexes(pool, group, await openLiveVersion(pool, group, log));
    rewriter = new PayloadRewriter({ store, database: pool, stores: [{ pool }] });
    await send([...kinds(ANN), view(BOB, 1), view(CAT, 1)]);
    await send([view(ANN, 2), view(ANN, 3), view(BOB, 2)]);
    await send([...kinds(BOB), view(CAT, 4), judgedBot(view(ANN, 5))]);
    await project();
  });
  afterEach(async () => {
    await Promise.all([log.close(), store.close()]);
    await pool.end();
    await database.drop();
  });

  const send = (sent: readonly ObservedEvent[]) =>
    log.send(sent.map((event) => ({ event, subject: 'site_1', dedupe: 'never' as const })));

  async function project(): Promise<void> {
    for (const group of groups) {
      const runner = group.runner({ partition: 0, batch: 100, version: 'live' });
      for (let step; step !== 'idle';) step = await runner.step();
    }
  }

  async function decide(erasureId: string, visitorId: string): Promise<void> {
    const organizationId = `org_of_${erasureId}`;
    const subject = { websiteId: 'site_1', visitors: [visitorId] };
    const data = { organizationId, erasureId, subject, destroyedKeyIds: [] };
    const metadata = { occurredAt: '2026-05-25T12:00:00Z', schemaVersion: '2' };
    const event = { id: randomUUID(), type: 'SubjectErased', data, metadata };
    await store.append(erasureStream(organizationId, erasureId), 'no-stream', [event]);
  }

  async function carryOut(): Promise<void> {
    for (const group of groups) await eraseVisits(group, decided.get(group)!);
  }

  async function erase(erasureId: string, visitorId: string): Promise<void> {
    await decide(erasureId, visitorId);
    await carryOut();
  }

  async function receipts(erasureId: string) {
    const stream = erasureStream(`org_of_${erasureId}`, erasureId);
    return decidedIn(await readWholeStream(store, stream)).flatMap(({ type, data }) =>
      type === 'HitsRewritten' ? [data] : [],
    );
  }

  const events = async () => (await log.read(0, BEGINNING, { max: 100 })).events;
  const headers = () =>
    run(pool, sql`select to_jsonb(s) - 'payload' as header from intake_segments s order by first_offset`);
  const verify = () => {
    const known = new RewriteReceipts(store);
    return verifyIntakeLog(pool, { isReceipted: (rewrite) => known.isReceipted(rewrite) });
  };

  /** Puts the payload of the newest rewritten segment in another form, with a row that fits it. */
  async function forge(): Promise<void> {
    const [row] = await run<{ before: string; after: string; size: number; eventId: string; chain: string }>(
      pool,
      sql`select encode(after_hash, 'hex') as before, size, event_id as "eventId", encode(chain, 'hex') as chain,
          (select encode(sha256(payload || '\\x00'), 'hex') from intake_segments where first_offset = 8) as after
        from intake_rewrites where segment_offset = 8`,
    );
    const { chain, ...of } = row!;
    const rewrite = { ...of, number: 2, organizationId: 'org_of_era_ann', erasureId: 'era_ann' };
    const hash = rewriteHash(rewrite, { partition: 0, offset: 8 }, chain);
    await run(
      pool,
      sql`insert into intake_rewrites values (0, 8, 2, decode(${of.before}, 'hex'), decode(${of.after}, 'hex'), ${of.size},
        'org_of_era_ann', 'era_ann', ${of.eventId}, decode(${hash}, 'hex'))`,
    );
    await run(pool, sql`update intake_segments set payload = payload || '\\x00' where first_offset = 8`);
    expect((await events()).length).toBeGreaterThan(0); // it fits
  }
});

const fail = (finding: unknown) => {
  throw new Error(JSON.stringify(finding));
};

const view = (visitorId: string, minute: number) => pageView(START + minute * 60_000, { visitorId });

/** An event of each kind. */
const kinds = (visitorId: string): readonly ObservedEvent[] =>
  eachKindOf('site_1', 'UTC').map(
    (event) => ({ ...event, id: view(visitorId, 0).id, data: { ...event.data, visitorId } }) as ObservedEvent, // of its type
  );

const judgedBot = (event: ObservedEvent): ObservedEvent => {
  const of = { organizationId: 'org_1', websiteId: 'site_1', linkId: null, userAgent: '', bot: null };
  const hit = { type: event.type, data: event.data as unknown as JsonObject };
  return { ...event, type: 'HitJudgedBot', data: { ...of, rule: 'r', ruleVersion: '1', hit } };
};

const visitorOf = ({ data }: ObservedEvent) => 'visitorId' in data && data.visitorId;
