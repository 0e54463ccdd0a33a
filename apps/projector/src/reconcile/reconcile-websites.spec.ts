import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import fc from 'fast-check';
import { pageView } from '@test/events/observed-events';
import { traffic } from '@test/oracle/random-traffic';
import { damage, FAULT } from '@test/projector/damage';
import { runs } from '@test/random-runs';
import { MemoryLog } from '@test/projector/memory-log';
import { IN_ONE_GO, IN_PIECES, openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';
import { readLayout } from '@ledgerline/platform/table-versions/group-layout';
import { HIT_TYPES } from '../projections/websites/read-hit';
import { bind } from '../runner/bound-group';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { tablesIn } from '../projections/written-tables';
import type { LivePartition } from './live-partition';
import { WEBSITES } from './websites';
import { DayComparison, type SubjectTables } from './day-comparison';
import { describeFinding, type Finding } from './findings';
import { ProvenDays } from './proven-days';
import { noteUncompared } from './reconciliations';
import { repairSubject } from './repair';
import { RULE } from '../packing/find-rows';
import { packAll } from '../packing/pack-rows';
import { ALWAYS, dayOf, signDays, type TimeRange } from './signatures';
import { sealDays } from '../sealing/seal-days';

/** The version that is checked; the other one stays as it should be. */
const SCHEMA = schemaOf('websites', IN_PIECES);
const someFault = fc.nat(Object.keys(FAULT).length - 1);

describe('comparing the tables of websites with the log', () => {
  it('finds nothing in random traffic, and names a row that is missing, doubled or changed, or a lost event, on a day that was proven, which a repair mends', async () => {
    const planted = new Set<number>();
    const property = fc.asyncProperty(traffic, someFault, fc.nat(), async (random, fault, place) => {
      const websiteId = `site_${++sites}`;
      const events = random.events({ websiteId, organizationId: 'org_1', zone: random.zone });
      if (events.length < 2) return;
      await empty();
      const lost = fault === FAULT.lost ? events[place % events.length] : undefined;
      const logged = [...events, ...events.slice(0, 3)].filter(({ id }) => id !== lost?.id);
      const log = new MemoryLog(logged);
      await versions.project(IN_PIECES, new MemoryLog(logged.slice(place % logged.length)));
      await versions.project(IN_PIECES, log);
      await sealDays({ pool: versions.pool, schema: SCHEMA, quietMs: 0 });
      await advance(log);
      expect((await check(log, true)).findings).toEqual([]);
      await packAll({ pool: versions.pool, schema: SCHEMA, rule: { ...RULE, most: 1 } });
      expect(await check(log, true)).toEqual({ findings: [], compared: [] });
      await run(versions.pool, sql`update reconciled_days set proven_at = proven_at - interval '5 hours'`);
      const oldest = await check(log, true);
      expect(oldest.findings).toEqual([]);
      expect(oldest.compared).not.toEqual([]);
      const middle = new Date(events[0]!.at).toISOString();
      expect(await sign(log, websiteId, ['-infinity', middle], [middle, 'infinity'])).toEqual(
        await sign(log, websiteId, ALWAYS),
      );
      if (lost) log.add(lost);
      await versions.project(IN_ONE_GO, log);
      if (!lost && !(await damage(versions.pool, SCHEMA, { id: websiteId, fault, place }))) return;
      planted.add(fault);
      await advance(log);
      const { findings } = await check(log, true);
      expect(findings).not.toEqual([]);
      const days = findings.map(({ day }) => day);
      const group = bind(new WebsitesGroup(versions.pool), log, versions.pool);
      const repaired = await repairSubject(group, await liveOf(log), WEBSITES, { subject: websiteId, days });
      if (fault !== FAULT.sealed) expect(repaired).not.toEqual([]);
      expect(ofSite((await check(log, false)).findings, websiteId)).toEqual([]);
      expect(await versions.differences()).toEqual([]);
    });
    await fc.assert(property, { seed: 375, numRuns: runs(6) });
    expect(planted.size).toBe(Object.keys(FAULT).length);
  }, 240_000);

  it.each([
    ['a day of which nothing says that it is sealed', [`delete from ${SCHEMA}.session_day_states`], 'session_days'],
    [
      'a day that is neither sealed nor open',
      [`delete from ${SCHEMA}.session_day_states`, `delete from ${SCHEMA}.session_days`],
      'session_day_states',
    ],
    [
      'visitors with one number',
      [`update ${SCHEMA}.sessions set visitor_number = 0 where visitor is not null`],
      'session_days',
    ],
    [
      'visitors without a number',
      [
        `update ${SCHEMA}.session_day_states set is_sealed = false`,
        `truncate ${SCHEMA}.session_days`,
        `update ${SCHEMA}.sessions set visitor_number = null where visitor_number % 2 = 1`,
      ],
      'sessions',
    ],
    [
      'numbers of which some were left out',
      [
        `update ${SCHEMA}.sessions set visitor_number = visitor_number + 2`,
        `update ${SCHEMA}.website_days set visitors = visitors + 2`,
      ],
      'session_days',
    ],
    [
      'a number of visitors that is too high',
      [`update ${SCHEMA}.website_days set visitors = visitors + 2`],
      'website_days',
    ],
    [
      'visitors whose sessions were lost, and a number that has moved to another one',
      [
        `delete from ${SCHEMA}.sessions where visitor_number in (0, 2)`,
        `update ${SCHEMA}.sessions set visitor_number = 0 where visitor_number = 1`,
      ],
      'session_days',
    ],
    ['a link with another domain', [`update ${SCHEMA}.link_domains set domain = domain + 1`], 'link_domains'],
    ['a link without a domain', [`delete from ${SCHEMA}.link_domains`], 'link_domains'],
  ])('names %s, until it is repaired', async (_, faults, table) => {
    const websiteId = `site_${++sites}`;
    const [random] = fc.sample(traffic, { seed: 9, numRuns: 1 });
    const view = pageView(Date.parse('2026-05-24T12:00:00Z'), { websiteId, zone: random!.zone });
    const click = { ...view.data, href: 'https://example.com/a', linkKind: 'link' as const, text: 'Example' };
    const visits = random!.events({ websiteId, organizationId: 'org_1', zone: random!.zone });
    const events = [...visits, { ...view, type: 'OutgoingLinkClicked' as const, data: click }];
    await empty();
    const log = new MemoryLog(events);
    for (const version of [IN_ONE_GO, IN_PIECES]) await versions.project(version, log);
    await advance(log);
    const seal = () => sealDays({ pool: versions.pool, schema: SCHEMA, quietMs: 0 });
    await seal();
    expect((await check(log, true)).findings).toEqual([]);
    const visitors = await visitorNumbers();
    expect(visitors.numbers).toBeGreaterThan(1);
    for (const text of faults) await run(versions.pool, { text, values: [] });
    const { findings } = await check(log, table === 'link_domains');
    expect(findings.map((finding) => finding.table)).toContain(table);
    const group = bind(new WebsitesGroup(versions.pool), log, versions.pool);
    const days = findings.map(({ day }) => day);
    await repairSubject(group, await liveOf(log), WEBSITES, { subject: websiteId, days });
    await seal();
    expect((await check(log, false)).findings).toEqual([]);
    expect(await visitorNumbers()).toEqual(visitors);
    expect(await versions.differences()).toEqual([]);
  });

  it('finds nothing where an engagement span of a day that is over has nothing to add up', async () => {
    const websiteId = `site_${++sites}`;
    const now = Date.parse('2026-05-24T12:00:00Z');
    const view = pageView(now, { websiteId });
    const old = pageView(now - 20 * 86_400_000, { websiteId, path: '/unused' });
    const measured = { path: '/unused', timeOnPage: null, span: { interactionCount: 1, clickCount: 1 } };
    await empty();
    const log = new MemoryLog([view]);
    await versions.project(IN_PIECES, log);
    log.add({ ...old, type: 'EngagementMeasured', data: { ...old.data, ...measured } });
    await versions.project(IN_PIECES, log);
    await advance(log);
    expect((await check(log, false)).findings).toEqual([]);
  });

  it('takes instants as days of UTC in any time zone of the session', async () => {
    const day = {
      text: `select ${dayOf({ name: 'first_at', type: 'timestamptz' })} as day from (values ($1::timestamptz)) t (first_at)`,
    };
    const [row] = await transaction(
      versions.pool,
      (client) => run(client, { ...day, values: ['1970-01-03T02:00:00Z'] }),
      "begin; set local timezone = 'America/New_York'",
    );
    expect(row).toEqual({ day: 2 });
  });

  let versions: WebsiteVersions;
  let sites = 0;
  beforeAll(async () => void (versions = await openWebsiteVersions()));
  afterAll(() => versions.close());

  /** How many visitors and numbers there are, and pairs of both, and whether all days are sealed. */
  async function visitorNumbers() {
    const text = `select max(visitor_number) as highest, count(distinct visitor)::integer as visitors, count(distinct visitor_number)::integer as numbers,
        count(distinct (visitor, visitor_number))::integer as pairs,
        (select bool_and(is_sealed) from ${SCHEMA}.session_day_states) as "areSealed"
      from ${SCHEMA}.sessions where visitor is not null`;
    const [row] = await run<{ visitors: number; numbers: number; pairs: number; areSealed: boolean }>(versions.pool, {
      text,
      values: [],
    });
    return row!;
  }

  const partOf = (log: MemoryLog) => ({ log, partition: 0, types: HIT_TYPES, isLeftOut: () => false });
  const key = { group: 'websites', version: IN_PIECES, partition: 0 } as const;
  const liveOf = async (log: MemoryLog): Promise<LivePartition> => {
    const layout = (await readLayout(versions.pool, 'websites'))?.id ?? '';
    const isCurrent = () => Promise.resolve(true);
    return { pool: versions.pool, part: partOf(log), tables: tablesIn(SCHEMA), layout, key, isCurrent };
  };

  async function sign(log: MemoryLog, websiteId: string, ...ranges: readonly TimeRange[]) {
    const { pool, tables } = await liveOf(log);
    const values = await WEBSITES.valuesOf(pool, [websiteId]);
    const rest = () => Promise.resolve();
    const signatures = await signDays({ pool, tables, ...WEBSITES, values, ranges, rest });
    await WEBSITES.sign?.(await liveOf(log), signatures, ranges, rest);
    return signatures;
  }

  /** Of all days, or of those that are not proven; answers which days were compared, too. */
  async function check(log: MemoryLog, onlyChanged: boolean) {
    const [findings, compared]: [Finding[], number[]] = [[], []];
    const report = (finding: Finding) => Promise.resolve(void findings.push(finding));
    const rest = () => Promise.resolve();
    const live = await liveOf(log);
    const of = { group: 'websites', partition: 0 };
    await noteUncompared(versions.pool, of);
    const proven = onlyChanged ? await ProvenDays.open(versions.pool, of, live.layout, 'memory') : undefined;
    const tables: SubjectTables = {
      ...WEBSITES,
      compare(due, comparison) {
        compared.push(...due.flatMap(({ days }) => [...days.keys()]));
        return WEBSITES.compare(due, comparison);
      },
    };
    await new DayComparison({ live, tables, proven, report, rest }).run();
    return { findings, compared };
  }

  /** Both logs begin with the websites of earlier runs, whose events are not in this one. */
  const ofSite = (findings: readonly Finding[], id: string) =>
    findings.filter(({ subject }) => subject === id).map((finding) => ({ ...finding, text: describeFinding(finding) }));

  const empty = () => {
    const tables = new WebsitesGroup(versions.pool).builds.flatMap(({ name }) =>
      [IN_ONE_GO, IN_PIECES].map((version) => `${schemaOf('websites', version)}.${name}`),
    );
    return run(versions.pool, { text: `truncate ${tables.join(', ')}, reconciled_days, reconciliations`, values: [] });
  };

  const advance = async (log: MemoryLog) =>
    run(versions.pool, {
      text: 'update projection_checkpoints set cursor = $1 where version = $2',
      values: [await log.head(), IN_PIECES],
    });
});
