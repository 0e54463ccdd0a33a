import fc from 'fast-check';
import type { Pool } from 'pg';
import { sessionsOfParts } from '@ledgerline/aggregation/session-part';
import { chunkOf, EVERY_COLUMN } from '@ledgerline/aggregation/session-slice';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { PART_COLUMNS } from '@ledgerline/contracts/read-models/session-days';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { pageView } from '@test/events/observed-events';
import { traffic } from '@test/oracle/random-traffic';
import { MemoryLog } from '@test/projector/memory-log';
import { openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';
import { ColumnCache } from '../../apps/api/src/query/session-columns/column-cache';
import { listOpenSessions, readOpenSessions } from '../../apps/api/src/query/session-columns/open-days';
import { listSealedDays } from '../../apps/api/src/query/session-columns/sealed-days';
import { packParts } from '../../apps/projector/src/sealing/pack-parts';
import { sealDays } from '../../apps/projector/src/sealing/seal-days';
import { PACKED_COLUMNS, rowsOf, sealedAndOpenSessions, sorted, storedSessions } from './plain-sessions';

describe('the parts of open days', () => {
  it('have, with what has changed since, the sessions of the tables, whatever the order of batches, packing and sealing', async () => {
    const step = fc.record({
      size: fc.integer({ min: 1, max: 12 }),
      then: fc.constantFrom('packs', 'packs', 'seals', ''),
    });
    const steps = fc.array(step, { minLength: 1 });
    const property = fc.asyncProperty(traffic, steps, async (random, plan) => {
      const websiteId = `site_${++sites}`;
      const events = random.events({ websiteId, organizationId: 'org_1', zone: random.zone });
      for (let at = 0, nth = 0; at < events.length; nth++) {
        const { size, then } = plan[nth % plan.length]!;
        await batch(...events.slice(at, at + size));
        at += size;
        if (then === 'packs') await pack();
        if (then === 'seals') await seal();
        await expectSameSessions();
      }
    });
    await fc.assert(property, { seed: 61, numRuns: 12 });
  }, 120_000);

  it('are as few as their rule says, and a session counts in the newest one', async () => {
    for (let minute = 0; minute < 20; minute++) {
      await batch(...['a', 'b', 'c'].map((visitor) => view(`2026-03-01T12:${10 + minute}:00Z`, visitor)));
      await pack({ least: 2, largest: 64, ofTier: 4 });
      expect((await parts()).length).toBeLessThan(4);
    }
    const { packed, open } = await expectSameSessions();
    expect([packed.length, open.length]).toEqual([3, 0]);
  });

  it('leave out a session that begins on another day now, and one that has joined another', async () => {
    await batch(
      view('2026-03-01T23:40:00Z', 'a'),
      view('2026-03-02T00:15:00Z', 'a'),
      view('2026-03-02T12:00:00Z', 'b'),
    );
    await pack();
    await batch(view('2026-03-01T23:58:00Z', 'a'), view('2026-03-01T11:00:00Z', 'b'));
    await expectSameSessions();
    await pack();
    const { packed, open } = await expectSameSessions();
    expect([packed.length, open.length]).toEqual([3, 0]);
  });

  it('are written where batches come meanwhile, whose sessions are read beside them', async () => {
    await batch(view('2026-03-01T12:00:00Z', 'a'));
    await pack(
      RULE,
      beforeWriting(() => batch(view('2026-03-01T12:10:00Z', 'a'), view('2026-03-01T12:10:00Z', 'b'))),
    );
    expect(await parts()).toEqual([{ size: 1 }]);
    const { packed, open } = await expectSameSessions();
    expect([packed.length, open.length]).toEqual([0, 2]);
  });

  it('are written once where two processes pack, and not at all where a day was sealed meanwhile', async () => {
    await batch(view('2026-03-01T12:00:00Z', 'a'));
    await Promise.all([pack(), pack(), pack()]);
    expect(await parts()).toEqual([{ size: 1 }]);
    await batch(view('2026-03-01T13:00:00Z', 'a'));
    await pack(
      RULE,
      beforeWriting(async () => void (await seal())),
    );
    expect(await parts()).toEqual([]);
    await batch(view('2026-03-01T14:00:00Z', 'a'));
    await expectSameSessions();
    await pack();
    expect(await parts()).toEqual([{ size: 3 }]);
    await expectSameSessions();
  });

  it('are of no use once all of the day may have changed, until it is packed anew', async () => {
    await batch(view('2026-03-01T12:00:00Z', 'a'));
    await pack();
    const states = identifier('websites_v2', 'session_day_states');
    await run(versions.pool, sql`update ${states} set unlisted = unlisted + 1 where website = ${await website()}`);
    expect((await expectSameSessions()).packed).toEqual([]);
    await pack();
    expect((await expectSameSessions()).packed).toHaveLength(1);
  });

  it('that ended before a range are not read', async () => {
    await batch(view('2026-03-01T10:00:00Z', 'a'), view('2026-03-01T10:00:00Z', 'b'));
    await pack();
    await batch(view('2026-03-01T12:00:00Z', 'c'));
    await pack({ least: 1, largest: 64, ofTier: 64 });
    expect((await parts()).length).toBe(2);
    const { days } = await read(Date.parse('2026-03-01T11:00:00Z'));
    expect(days.map(({ newestFirst }) => newestFirst.map(({ size }) => size))).toEqual([[1]]);
  });

  const SCHEMA = 'websites_v2';
  const RULE = { least: 1, largest: 8, ofTier: 2 };
  let versions: WebsiteVersions;
  let sites = 0;

  beforeAll(async () => void (versions = await openWebsiteVersions()));
  beforeEach(() => void sites++);
  afterEach(async () => void (await seal()));
  afterAll(() => versions.close());

  const view = (at: string, visitor: string) =>
    pageView(Date.parse(at), { websiteId: `site_${sites}`, visitorId: visitor.repeat(32) });
  const batch = (...events: WebsiteObservedEvent[]) => versions.project(2, new MemoryLog(events));
  const seal = () => sealDays({ pool: versions.pool, schema: SCHEMA, quietMs: 0 });

  async function pack(rule = RULE, pool = versions.pool): Promise<void> {
    const { failed, error } = await packParts({ pool, schema: SCHEMA, rule, since: 0 });
    if (failed > 0) throw error;
  }

  async function website(): Promise<number> {
    const named = sql`select id from dictionary where text = ${`site_${sites}`}`;
    const [row] = await run<{ id: number }>(versions.pool, named);
    return row?.id ?? 0;
  }

  const parts = async () =>
    run(
      versions.pool,
      sql`select size from websites_v2.session_parts where website = ${await website()} order by number`,
    );

  /** As a question reads them. */
  async function read(from = 0) {
    const table = ({ name }: { readonly name: string }) => identifier(SCHEMA, name);
    const range = { from, to: Date.parse('2100-01-01') };
    const selecting = { table, website: await website(), targetId: `site_${sites}`, filters: [], ...range };
    const sealed = await listSealedDays(versions.pool, selecting);
    const columns = [...PACKED_COLUMNS, ...PART_COLUMNS];
    const listed = await listOpenSessions(versions.pool, selecting, sealed);
    return readOpenSessions(versions.pool, selecting, listed, EVERY_COLUMN, { columns, cache: new ColumnCache(8) });
  }

  async function expectSameSessions() {
    const { days, slices } = await read();
    const packed = days.flatMap((day) => sessionsOfParts(day)).flatMap(rowsOf);
    const open = slices.flatMap((slice) => rowsOf(chunkOf(slice, EVERY_COLUMN)));
    const { sealed } = await sealedAndOpenSessions(versions.pool, SCHEMA, await website());
    const expected = await storedSessions(versions.pool, SCHEMA, await website());
    expect(sorted([...sealed, ...packed, ...open])).toEqual(sorted(expected));
    return { packed, open };
  }

  /** The pool, except that something happens before the transaction that writes the first day. */
  function beforeWriting(work: () => Promise<unknown>): Pool {
    let transactions = 0;
    const connect = async () => {
      if (++transactions === 2) await work();
      return versions.pool.connect();
    };
    const query = versions.pool.query.bind(versions.pool);
    return Object.assign(Object.create(versions.pool) as Pool, { connect, query });
  }
});
