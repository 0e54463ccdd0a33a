import type { Pool } from 'pg';
import type { LinkClicked, ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { linkClicks15min } from '@ledgerline/contracts/read-models/links';
import { run } from '@ledgerline/platform/database/pool';
import { declarationDdl, execute } from '@ledgerline/platform/database/read-model-tables';
import { sql } from '@ledgerline/platform/database/sql';
import { storeReconciliations } from '@ledgerline/platform/read-stores/projection-states';
import { WHOLE_LOG_SHARE } from '@ledgerline/platform/read-stores/read-stores';
import { linkClick } from '@test/events/observed-events';
import { monitorCheck } from '@test/monitors/random-checks';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { compareVersions } from '@test/projector/compare-versions';
import { MemoryLog } from '@test/projector/memory-log';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { monitorsGroup } from '../projections/monitors/monitors-group';
import { bind, type BoundGroup } from '../runner/bound-group';
import { withVersionsLock } from '../versions/change-layout';
import { openLiveVersion } from '../versions/live-version';
import { createVersion } from '../versions/version-tables';
import { noteUncompared, type Finding } from './findings';
import { Replay } from './replay';
import { reconcilePartition, repair } from './run-reconciling';

const START = Date.parse('2026-05-04T10:00:00Z');
const HOUR = 3_600_000;

describe('comparing the tables of links with the log', () => {
  it.each([
    ['a missing row', 'link_countries', `delete from links_v1.link_countries where span = 1`],
    ['a counter counted twice', 'link_clicks_15min', `update links_v1.link_clicks_15min set clicks = 2 * clicks`],
    [
      'other visitors',
      'link_clicks_15min',
      `update links_v1.link_clicks_15min set visitors = visitors + 1 where span = 96`,
    ],
    [
      'a click of another country',
      'link_countries',
      `update links_v1.link_countries set value = 'XX' where span = 96 and start_15min < '2026-05-05'`,
    ],
    ['a missing return', 'link_returns', `delete from links_v1.link_returns where span = 96`],
    ['a missing click', 'link_clicks', `delete from links_v1.link_clicks where actor <> id and at < '2026-05-05'`],
    [
      'a click with another browser',
      'link_clicks',
      `update links_v1.link_clicks set browser_name = 'Lynx' where actor = id`,
    ],
    [
      'a click of another visitor',
      'link_clicks',
      `update links_v1.link_clicks set actor = gen_random_uuid() where actor = id`,
    ],
  ])('names %s, until it is repaired', async (_, table, fault) => {
    await project(links, 1, CLICKS);
    await project(links, 2, CLICKS);
    expect(await reconcile(links, true)).toEqual([]);
    await run(pool, { text: fault, values: [] });
    const findings = await reconcile(links, true);
    expect(findings).toContainEqual(expect.objectContaining({ table, subject: 'link_1' }));
    expect(await storeReconciliations(pool, WHOLE_LOG_SHARE)).toMatchObject([
      { group: 'links', example: { subject: 'link_1' } },
    ]);
    await repair(links, 0, { subject: 'link_1', days: findings.map(({ day }) => day) });
    expect(await reconcile(links)).toEqual([]);
    expect(await storeReconciliations(pool, WHOLE_LOG_SHARE)).toMatchObject([
      { group: 'links', findings: 0, example: null },
    ]);
    expect(await compareVersions(pool, links, 1, 2)).toEqual([]);
  });

  it('names a click that the tables lack, and not one that is parked', async () => {
    await project(links, 1, CLICKS.slice(1));
    expect(await reconcile(links, true)).toEqual([]);
    await project(links, 2, [...CLICKS.slice(1), ...CLICKS.slice(0, 1)]);
    await atTheHead(links);
    expect((await reconcile(links, true)).map(({ table }) => table)).toContain('link_clicks');
    await repair(links, 0, { subject: 'link_1', days: [Math.floor(START / (24 * HOUR))] });
    expect(await reconcile(links)).toEqual([]);
    expect(await compareVersions(pool, links, 1, 2)).toEqual([]);
    log.add(click('v1', 90));
    await atTheHead(links);
    await run(
      pool,
      sql`insert into parked_events (projection_group, version, partition, epoch, tries, cursor, after, event_id,
        event_type, subject, order_key) values ('links', 1, 0, 'memory', 1, ${await log.head()}, '', 'e', 'LinkClicked', 'link_1', 'k')`,
    );
    expect(await reconcile(links)).toEqual([]);
  });

  it('leaves out a table that is frozen', async () => {
    await project(links, 1, CLICKS);
    await run(pool, sql`delete from links_v1.link_countries`);
    expect((await reconcile(links)).map(({ table }) => table)).toContain('link_countries');
    await run(
      pool,
      sql`update projection_groups set layout = gen_random_uuid(), tables = '{"link_countries": {"isFrozen": true}}'
        where name = 'links'`,
    );
    expect(await reconcile(links)).toEqual([]);
  });

  it('repairs a table of an earlier program, which lacks a column', async () => {
    const { visitors: _, ...columns } = linkClicks15min.columns;
    await project(links, 1, CLICKS);
    const declaration = declarationDdl('links_v1', { ...linkClicks15min, columns });
    await execute(pool, ['alter table links_v1.link_clicks_15min drop column visitors', declaration]);
    expect(await reconcile(links)).toEqual([]);
    await run(pool, sql`update links_v1.link_clicks_15min set clicks = clicks + 1 where span = 1`);
    await run(pool, sql`delete from links_v1.link_clicks_15min where span = 96`);
    const [first] = await reconcile(links);
    expect(first).toMatchObject({ table: 'link_clicks_15min', subject: 'link_1' });
    const repaired = await repair(links, 0, { subject: 'link_1', days: [first!.day] });
    expect(new Set(repaired.map(({ table }) => table))).toEqual(new Set(['link_clicks_15min']));
    expect(await reconcile(links)).toEqual([]);
  });

  it.each([
    [
      'a check counted twice',
      'monitor_checks_15min',
      `update monitors_v1.monitor_checks_15min set checks = checks + 1`,
    ],
    ['a lost block', 'monitor_checks_15min', `delete from monitors_v1.monitor_checks_15min where span = 96`],
    [
      'a duration in another bin',
      'monitor_checks_15min',
      `update monitors_v1.monitor_checks_15min set durations = '{}'`,
    ],
    ['another state', 'monitor_states', `update monitors_v1.monitor_states set failures = failures + 1`],
    ['no state', 'monitor_states', `delete from monitors_v1.monitor_states`],
    ['another result', 'monitor_results', `update monitors_v1.monitor_results set detail = 'all is well'`],
    ['a downtime that goes on', 'monitor_downtimes', `update monitors_v1.monitor_downtimes set ended_at = null`],
  ])('names a monitor with %s, until it is repaired', async (_, table, fault) => {
    const checks = [true, false, false, true, false].map((up, n) =>
      monitorCheck('mon_1', START + n * 60_000, { up, durationMs: 30 + n }),
    );
    await project(monitors, 1, checks);
    await project(monitors, 2, checks);
    expect(await reconcile(monitors)).toEqual([]);
    await run(pool, { text: fault, values: [] });
    const findings = await reconcile(monitors);
    expect(new Set(findings.map((finding) => finding.table))).toEqual(new Set([table]));
    expect(findings[0]).toMatchObject({ subject: 'mon_1' });
    await repair(monitors, 0, { subject: 'mon_1', days: findings.map(({ day }) => day) });
    expect(await reconcile(monitors)).toEqual([]);
    expect(await compareVersions(pool, monitors, 1, 2)).toEqual([]);
  });

  it('projects those links anew alone of which rows or events have changed', async () => {
    const replayed = jest.spyOn(Replay, 'within');
    const again = async () => {
      replayed.mockClear();
      expect(await reconcile(links, true)).toEqual([]);
      return replayed.mock.calls.map(([, , only]) => [...(only ?? [])]);
    };
    await project(links, 1, [...CLICKS, linkClick('link_2', 1)]);
    expect([await again(), await again()]).toEqual([[['link_1', 'link_2']], []]);
    log.add(linkClick('link_2', 2));
    await links.runner({ partition: 0, batch: 100, version: 1 }).step();
    expect([await again(), await again()]).toEqual([[['link_2']], []]);
    await run(pool, sql`update links_v1.link_countries set clicks = clicks + 1 where link_id = 'link_1'`);
    expect(await reconcile(links, true)).not.toEqual([]);
    expect(await reconcile(links, true)).not.toEqual([]); // it is not proven
    replayed.mockRestore();
  });

  let database: TestDatabase;
  let pool: Pool;
  let log: MemoryLog;
  let links: BoundGroup;
  let monitors: BoundGroup;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    log = new MemoryLog();
    links = bind(linksGroup(), log, pool);
    monitors = bind(monitorsGroup(), log, pool);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  /** Fills a version, of which 1 is the live one; the log keeps the events of the last call. */
  async function project(group: BoundGroup, version: number, events: readonly ObservedEvent[]): Promise<void> {
    log.hits.length = 0;
    log.add(...events);
    await openLiveVersion(pool, group, log);
    await withVersionsLock(pool, (client) => createVersion(client, group, version, log));
    await group.runner({ partition: 0, batch: 100, version }).step();
  }

  const atTheHead = async (group: BoundGroup) =>
    run(
      pool,
      sql`update projection_checkpoints set cursor = ${await log.head()} where projection_group = ${group.name} and version = 1`,
    );

  /** With all of the log, or what it has had since the last time. */
  async function reconcile(group: BoundGroup, goesOn = false): Promise<Finding[]> {
    const findings: Finding[] = [];
    const onFinding = (finding: Finding) => void findings.push(finding);
    await noteUncompared(pool, { group: group.name, partition: 0 });
    await reconcilePartition({ group, partition: 0, goesOn, rest: () => Promise.resolve(), onFinding });
    return findings;
  }
});

const click = (visitor: string, hours: number): LinkClicked => {
  const event = linkClick('link_1', hours);
  const visitorId = visitor === '' ? null : visitor.padEnd(32, '0').replace('v', 'a');
  return { ...event, at: START + hours * HOUR, data: { ...event.data, visitorId } };
};

/** Visitors who come back within a day and after it, one without an id, and a click that came twice. */
const CLICKS = [
  click('v1', 0),
  click('v1', 1),
  click('v2', 2),
  click('v1', 26),
  click('', 3),
  click('v2', 50),
  click('v2', 50),
];
