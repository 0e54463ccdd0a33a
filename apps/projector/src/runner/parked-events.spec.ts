import type { Pool } from 'pg';
import type { LinkClicked, ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { linkClick, pageView } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { NotRebuilt } from '../rebuild/catch-up';
import { rebuild } from '../rebuild/rebuild';
import { openLiveVersion } from '../versions/live-version';
import { bind, type BoundGroup } from './bound-group';
import { listParked } from './list-projections';
import { acceptParked, type EventToPark } from './parked-events';

describe('parked events', () => {
  it('are projected by a retry, after which a projector forgets what it worked out without them', async () => {
    const events = [3, 1, 2, 3].map((visitor, n) => pageView(START + n * 1000, { visitorId: `${visitor}`.repeat(32) }));
    failing.add(events[0]!.id);
    const group = await open(new MemoryLog(events, () => 1), new WebsitesGroup(pool));
    const live = group.runner({ partition: 0, batch: 10, version: 1 });
    expect([await live.step(), await live.step()]).toEqual(['moved', 'moved']); // the third is computed ahead
    failing.clear();
    expect(await retry(group)).toEqual({ projected: 1, failed: 0 });
    expect([await live.step(), await live.step(), await live.step()]).toEqual(['outrun', 'moved', 'idle']);
    expect(await listParked([group])).toEqual([]);
    expect(await sessions()).toEqual([
      { visitor: '1', number: 0, hits: 1 },
      { visitor: '2', number: 2, hits: 1 },
      { visitor: '3', number: 1, hits: 2 },
    ]);
  });

  it('are left out by every version once they are accepted, and what waited behind them is projected', async () => {
    const first = linkClick('link_1', 1);
    const second = { ...linkClick('link_1', 2), data: first.data };
    failing.add(first.id);
    const group = await open(new MemoryLog([first, second, linkClick('link_1', 3)]));
    await projectAll(group);
    const [root, behind] = await listParked([group]);
    expect(root).toMatchObject({ id: 'links/1', eventId: first.id, subject: 'link_1', type: 'LinkClicked', tries: 1 });
    expect(root!.error).toMatch(/^TypeError: the event cannot be read/);
    expect(behind).toMatchObject({ eventId: second.id, error: null, orderKey: root!.orderKey });
    expect(await group.readParkedEvent(0, behind!)).toMatchObject({ event: second });
    await expect(rebuild({ group, flip: true })).rejects.toThrow(/^Parked events of links version 1: 2\./);

    expect(await acceptParked(group, [root!.number, behind!.number])).toBe(1);
    expect(await retry(group)).toEqual({ projected: 1, failed: 0 });
    expect(await clicks()).toBe(2);
    expect(await rebuild({ group, flip: false })).toMatchObject({ differences: [] });
    expect(await rebuild({ group, flip: true })).toMatchObject({ differences: [], flipped: true });
  });

  it('end a rebuild that cannot project what the live version could', async () => {
    const click = linkClick('link_1', 1);
    const group = await open(new MemoryLog([click, linkClick('link_1', 2)]));
    await projectAll(group);
    failing.add(click.id);
    await expect(rebuild({ group, flip: true })).rejects.toThrow(NotRebuilt);
    expect(await listParked([group])).toMatchObject([{ version: 2, live: false, eventId: click.id }]);
    failing.clear();
    expect(await rebuild({ group, flip: true })).toMatchObject({ differences: [], flipped: true });
    expect(await listParked([group])).toEqual([]);
  });

  it('may lack everything, and each is reported', async () => {
    const broken = { ...linkClick('link_1', 1), data: null, at: Infinity } as unknown as LinkClicked;
    const reported: EventToPark[] = [];
    const group = await open(new MemoryLog([linkClick('link_1', 0), broken, linkClick('link_1', 2)]));
    const live = group.runner({ partition: 0, batch: 10, version: 1, onParked: (event) => reported.push(event) });
    while ((await live.step()) !== 'idle');
    expect(await clicks()).toBe(2);
    expect(await listParked([group])).toMatchObject([{ eventId: '', occurredAt: null, cursor: '1' }]);
    expect(reported).toMatchObject([{ cursor: '1', error: expect.any(TypeError) as unknown }]);
  });

  it('are parked where their data cannot be read, as an upcaster fails for them', async () => {
    const first = linkClick('link_1', 0);
    const second = linkClick('link_1', 1);
    const unreadable = Object.defineProperty({ ...second }, 'data', {
      get: () => {
        throw new RangeError('no upcaster');
      },
    });
    const group = await open(new MemoryLog([first, unreadable, linkClick('link_1', 2)]));
    await projectAll(group);
    expect(await clicks()).toBe(2);
    expect(await listParked([group])).toMatchObject([
      { cursor: '1', error: expect.stringMatching('no upcaster') as unknown },
    ]);
  });

  const START = Date.parse('2026-05-04T10:00:00Z');
  /** Ids of events that cannot be projected at the moment. */
  const failing = new Set<string>();
  let database: TestDatabase;
  let pool: Pool;

  beforeEach(async () => {
    failing.clear();
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  async function open(log: MemoryLog, group: WebsitesGroup | ReturnType<typeof linksGroup> = linksGroup()) {
    const prepare = group.prepare.bind(group);
    group.prepare = (hits) => {
      const isFailing = ({ event }: { event: ObservedEvent }) => failing.has(event.id);
      return hits.some(isFailing) ? Promise.reject(new TypeError('the event cannot be read')) : prepare(hits);
    };
    const bound = bind(group, log, pool);
    await openLiveVersion(pool, bound, log);
    return bound;
  }

  async function projectAll(group: BoundGroup): Promise<void> {
    const live = group.runner({ partition: 0, batch: 10, version: 1 });
    while ((await live.step()) !== 'idle');
  }

  const retry = ({ retryParked, name }: BoundGroup) => retryParked({ key: { group: name, version: 1, partition: 0 } });

  const sessions = () =>
    run(
      pool,
      sql`select left(visitor::text, 1) as visitor, visitor_number as number, cardinality(hit_at) as hits
        from websites_v1.sessions order by 1`,
    );

  async function clicks(): Promise<number> {
    const [row] = await run<{ clicks: number }>(
      pool,
      sql`select count(*)::integer as clicks from links_v1.link_clicks`,
    );
    return row!.clicks;
  }
});
