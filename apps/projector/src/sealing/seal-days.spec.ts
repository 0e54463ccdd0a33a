import fc from 'fast-check';
import type { Pool } from 'pg';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { customEvent, pageView } from '@test/events/observed-events';
import { traffic } from '@test/oracle/random-traffic';
import { MemoryLog } from '@test/projector/memory-log';
import { openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';
import { sealedAndOpenSessions, sorted, storedSessions } from '@test/session-days/plain-sessions';
import { countDays, sealDays } from './seal-days';

describe('sealing days', () => {
  it('leaves the same sessions to be read, whatever the order of batches and of sealing', async () => {
    const steps = fc.array(fc.record({ size: fc.integer({ min: 1, max: 20 }), seals: fc.boolean() }), { minLength: 1 });
    const property = fc.asyncProperty(traffic, steps, async (random, plan) => {
      const websiteId = `site_${++sites}`;
      const events = random.events({ websiteId, organizationId: 'org_1', zone: random.zone });
      for (let at = 0, step = 0; at < events.length; step++) {
        const { size, seals } = plan[step % plan.length]!;
        await batch(...events.slice(at, at + size));
        at += size;
        if (seals) await seal();
        await expectSameSessions();
      }
      await seal();
      const { open } = await expectSameSessions();
      // random traffic may lie in the future, whose days are not over
      const today = new Date().setUTCHours(0, 0, 0, 0);
      expect(open.filter(({ first_at: at }) => Number(at) < today)).toEqual([]);
    });
    await fc.assert(property, { seed: 45, numRuns: 12 });
  }, 120_000);

  it('packs a session across midnight and a single event with the day that they begin on', async () => {
    const alone = { visitorId: null, sessionId: null };
    await batch(view('2026-03-01T23:50:00Z'), view('2026-03-02T00:10:00Z'), view('2026-03-02T12:00:00Z', alone));
    await seal();
    const { sealed } = await expectSameSessions();
    expect(sealed).toMatchObject([
      { first_at: Date.parse('2026-03-01T23:50:00Z'), visitor: 0, flags: 0 },
      { first_at: Date.parse('2026-03-02T12:00:00Z'), visitor: -1, flags: 2 },
    ]);
    expect(await rows()).toEqual([
      { day: '2026-03-01', size: 1, last_at: new Date('2026-03-02T00:10:00Z') },
      { day: '2026-03-02', size: 1, last_at: new Date('2026-03-02T12:00:00Z') },
    ]);
  });

  it('says of a row which countries and devices its sessions have', async () => {
    const seen = ['DE', 'FR', 'DE', null].map((country, n) =>
      view('2026-03-01T12:00:00Z', { country, visitorId: `${n}`.repeat(32), device: n === 2 ? 'mobile' : 'desktop' }),
    );
    await batch(...seen, view('2026-03-01T13:00:00Z', { country: 'FR', visitorId: 'f'.repeat(32) }));
    await seal();
    const text = `select distinct array_length(countries, 1) as countries, array_length(device_types, 1) as devices, size
      from websites_v2.session_days where website = ${await website()}`;
    expect(await run(versions.pool, { text, values: [] })).toEqual([{ countries: 3, devices: 2, size: 5 }]);
    await expectSameSessions();
  });

  it('waits until a day is over and quiet', async () => {
    await batch(view(new Date().toISOString()), view('2026-03-01T12:00:00Z'));
    expect(await seal(60_000)).toMatchObject({ sealed: 0 });
    expect(await seal()).toMatchObject({ sealed: 1, failed: 0 });
    expect(await seal()).toMatchObject({ sealed: 0 });
    expect((await expectSameSessions()).open).toHaveLength(1);
    const since = Date.parse('2026-03-03T00:00:00Z');
    await batch(view('2026-03-02T12:00:00Z', { visitorId: 'b'.repeat(32) }));
    const { sealed, open, oldestOverMs } = await countDays(versions.pool, SCHEMA);
    expect({ sealed: sealed > 0, open: open > 0 }).toEqual({ sealed: true, open: true });
    expect(Math.abs(oldestOverMs - (Date.now() - since))).toBeLessThan(60_000);
  });

  it('opens a day again for a late event, and seals it again', async () => {
    await batch(view('2026-03-01T12:00:00Z'), view('2026-03-02T12:00:00Z'));
    await seal();
    await batch(view('2026-03-01T12:10:00Z'));
    const { sealed, open } = await expectSameSessions();
    expect([sealed.length, open.length]).toEqual([1, 1]);
    expect(await seal()).toMatchObject({ sealed: 1 });
    expect((await expectSameSessions()).open).toEqual([]);
  });

  it('writes nothing where a batch comes between reading and sealing', async () => {
    await batch(view('2026-03-01T12:00:00Z'));
    const racing = beforeWriting(() => batch(view('2026-03-01T12:10:00Z')));
    expect(await seal(0, racing)).toMatchObject({ sealed: 0, changed: 1 });
    expect(await rows()).toEqual([]);
    expect((await expectSameSessions()).sealed).toEqual([]);
    expect(await seal()).toMatchObject({ sealed: 1 });
    await expectSameSessions();
  });

  it('writes a day once where two processes seal', async () => {
    const days = Array.from({ length: 12 }, (_, n) => view(`2026-03-${10 + n}T12:00:00Z`));
    await batch(...days);
    const results = await Promise.all([seal(), seal(), seal()]);
    expect(results.reduce((sum, { sealed }) => sum + sealed, 0)).toBe(days.length);
    expect(results.map(({ failed }) => failed)).toEqual([0, 0, 0]);
    expect(await rows()).toHaveLength(days.length);
    await expectSameSessions();
  });

  it('takes its rows back where another process has sealed the day', async () => {
    await batch(view('2026-03-01T12:00:00Z'));
    let other: Awaited<ReturnType<typeof seal>> | undefined;
    const racing = beforeWriting(async () => void (other = await seal()));
    const own = await seal(0, racing);
    expect({ own: own.sealed, changed: own.changed, other: other?.sealed }).toEqual({ own: 0, changed: 1, other: 1 });
    await expectSameSessions();
  });

  it('goes on with other days where one fails', async () => {
    await batch(view('2026-03-01T12:00:00Z'), view('2026-03-02T12:00:00Z'), view('2026-03-03T12:00:00Z'));
    const isWhole = `day <> '2026-03-02' or website <> ${await website()}`;
    const text = `alter table websites_v2.session_days add constraint broken check (${isWhole})`;
    await run(versions.pool, { text, values: [] });
    expect(await seal()).toMatchObject({ sealed: 2, failed: 1, error: { constraint: 'broken' } });
    await run(versions.pool, sql`alter table websites_v2.session_days drop constraint broken`);
    expect(await seal()).toMatchObject({ sealed: 1, failed: 0 });
    await expectSameSessions();
  });

  it('packs days of more sessions than are read at once', async () => {
    const seen = Array.from({ length: 4_500 }, (_, n) => customEvent(`site_${sites}`, n));
    await batch(...seen);
    expect(await seal()).toMatchObject({ sealed: 1 });
    expect((await expectSameSessions()).sealed).toHaveLength(seen.length);
  });

  const SCHEMA = 'websites_v2';
  let versions: WebsiteVersions;
  let sites = 0;

  beforeAll(async () => void (versions = await openWebsiteVersions()));
  beforeEach(() => void sites++);
  afterEach(() => seal());
  afterAll(() => versions.close());

  const view = (at: string, given: Parameters<typeof pageView>[1] = {}) =>
    pageView(Date.parse(at), { websiteId: `site_${sites}`, ...given });
  const batch = (...events: WebsiteObservedEvent[]) => versions.project(2, new MemoryLog(events));
  const seal = (quietMs = 0, pool = versions.pool) => sealDays({ pool, schema: SCHEMA, quietMs });

  async function website(): Promise<number> {
    const [row] = await run<{ id: number }>(
      versions.pool,
      sql`select id from dictionary where text = ${`site_${sites}`}`,
    );
    return row?.id ?? 0;
  }

  const rows = async () =>
    run<{ size: number }>(
      versions.pool,
      sql`select day::text, size, last_at from websites_v2.session_days where website = ${await website()} order by day`,
    );

  async function expectSameSessions() {
    const parts = await sealedAndOpenSessions(versions.pool, SCHEMA, await website());
    const expected = await storedSessions(versions.pool, SCHEMA, await website());
    expect(sorted([...parts.sealed, ...parts.open])).toEqual(sorted(expected));
    return parts;
  }

  /** The pool, except that something happens before the transaction that writes the first day. */
  function beforeWriting(work: () => Promise<void>): Pool {
    let transactions = 0;
    const connect = async () => {
      if (++transactions === 2) await work();
      return versions.pool.connect();
    };
    const query = versions.pool.query.bind(versions.pool);
    return Object.assign(Object.create(versions.pool) as Pool, { connect, query });
  }
});
