import fc from 'fast-check';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { eachKindOf } from '@test/events/each-kind';
import { pageView } from '@test/events/observed-events';
import { traffic } from '@test/oracle/random-traffic';
import { compareWebsites, liveWebsites } from '@test/projector/compare-websites';
import { damage, FAULT } from '@test/projector/damage';
import { columnOfRollup } from '@test/projector/kept-sums';
import { MemoryLog } from '@test/projector/memory-log';
import { IN_ONE_GO, IN_PIECES, openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';
import { runs } from '@test/random-runs';
import { RULE, compactAll } from '../compaction/compact-rollups';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { bind } from '../runner/bound-group';
import { sealDays } from '../sealing/seal-days';
import { WindowComparison } from './compare-window';
import { describeFinding, type Finding } from './findings';
import { repairSubject } from './repair';

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
      expect(await check(log, true)).toEqual([]);
      await compactAll({ pool: versions.pool, schema: SCHEMA, rule: { ...RULE, most: 1 } });
      expect(await check(log, true)).toEqual([]);
      if (lost) log.add(lost);
      await versions.project(IN_ONE_GO, log);
      if (!lost && !(await damage(versions.pool, SCHEMA, { id: websiteId, fault, place }))) return;
      planted.add(fault);
      await advance(log);
      const findings = await check(log, true);
      expect(findings).not.toEqual([]);
      const days = findings.map(({ day }) => day);
      const group = bind(new WebsitesGroup(versions.pool), log, versions.pool);
      const repaired = await repairSubject(group, await liveWebsites(versions.pool, log), {
        subject: websiteId,
        days,
      });
      if (fault !== FAULT.sealed) expect(repaired).not.toEqual([]);
      expect(ofSite(await check(log, false), websiteId)).toEqual([]);
      expect(await versions.differences()).toEqual([]);
    });
    await fc.assert(property, { seed: 16, numRuns: runs(8) });
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
    ['too many visitors', [`update ${SCHEMA}.website_days set visitors = visitors + 2`], 'website_days'],
    [
      'visitors whose sessions were lost, and a number that has moved to another one',
      [
        `delete from ${SCHEMA}.sessions where visitor_number in (0, 2)`,
        `update ${SCHEMA}.sessions set visitor_number = 0 where visitor_number = 1`,
      ],
      'session_days',
    ],
    ['a hit with another path', [`update ${SCHEMA}.sessions set hit_path[1] = hit_path[1] + 1`], 'sessions'],
    ['a hit of another kind', [`update ${SCHEMA}.sessions set hit_kind[1] = 3 where hit_kind[1] = 1`], 'sessions'],
    ['other bounces', [`update ${SCHEMA}.sessions set bounced = not bounced`], columnOfRollup('sessions')],
    ['an error with another line', [`update ${SCHEMA}.errors set lineno = lineno + 1`], 'errors'],
    ['an error with another stack', [`update ${SCHEMA}.errors set stack = 'at b.js'`], 'errors'],
    [
      'a custom event with another property',
      [`update ${SCHEMA}.custom_events set properties = properties || '{"plan": "free"}'`],
      'custom_events',
    ],
    ['a vital with another value', [`update ${SCHEMA}.vitals set micros = micros + 1`], 'vitals'],
    ['a lost span', [`delete from ${SCHEMA}.engagement_spans`], 'engagement_spans'],
    ['a span that was longer', [`update ${SCHEMA}.engagement_spans set active_ms = 2000`], 'engagement_spans'],
    [
      'a packed day without a row',
      [`delete from ${SCHEMA}.session_days where day = (select max(day) from ${SCHEMA}.session_days)`],
      'session_days',
    ],
    [
      'a packed day with another byte',
      [
        `update ${SCHEMA}.session_days set visitor = set_byte(visitor, 0, get_byte(visitor, 0) # 1) where visitor is not null`,
      ],
      'session_days',
    ],
    ['lost kept counts', [`delete from ${SCHEMA}.website_rollups`], columnOfRollup('views')],
    ['a link with another domain', [`update ${SCHEMA}.link_domains set domain = domain + 1`], 'link_domains'],
    ['a link without a domain', [`delete from ${SCHEMA}.link_domains`], 'link_domains'],
  ])('names %s, until it is repaired', async (_, faults, table) => {
    const websiteId = `site_${++sites}`;
    const [random] = fc.sample(traffic, { seed: 9, numRuns: 1 });
    const visits = random!.events({ websiteId, organizationId: 'org_1', zone: random!.zone });
    const events = [...visits, ...eachKindOf(websiteId, random!.zone)];
    await empty();
    const log = new MemoryLog(events);
    for (const version of [IN_ONE_GO, IN_PIECES]) await versions.project(version, log);
    await advance(log);
    const seal = () => sealDays({ pool: versions.pool, schema: SCHEMA, quietMs: 0 });
    await seal();
    expect(await check(log, true)).toEqual([]);
    const visitors = await visitorNumbers();
    expect(visitors.numbers).toBeGreaterThan(1);
    for (const text of faults) await run(versions.pool, { text, values: [] });
    const findings = await check(log, true);
    expect(findings.map((finding) => finding.table)).toContain(table);
    const group = bind(new WebsitesGroup(versions.pool), log, versions.pool);
    const days = findings.map(({ day }) => day);
    await repairSubject(group, await liveWebsites(versions.pool, log), { subject: websiteId, days });
    await seal();
    expect(await check(log, false)).toEqual([]);
    expect(await visitorNumbers()).toEqual(visitors);
    expect(await versions.differences()).toEqual([]);
  });

  it('takes numbers of visitors in any order, and leaves them in a repair', async () => {
    const websiteId = `site_${++sites}`;
    await empty();
    const visits = ['a', 'b', 'c'].map((id, n) => pageView(n * 1_000, { websiteId, visitorId: id.repeat(32) }));
    const log = new MemoryLog(visits);
    await versions.project(IN_PIECES, log);
    await run(versions.pool, { text: `update ${SCHEMA}.sessions set visitor_number = 2 - visitor_number`, values: [] });
    await sealDays({ pool: versions.pool, schema: SCHEMA, quietMs: 0 });
    expect(await check(log, true)).toEqual([]);
    const text = `select actor, visitor_number from ${SCHEMA}.sessions order by actor`;
    const before = await run(versions.pool, { text, values: [] });
    await run(versions.pool, { text: `delete from ${SCHEMA}.website_rollups`, values: [] });
    const group = bind(new WebsitesGroup(versions.pool), log, versions.pool);
    await repairSubject(group, await liveWebsites(versions.pool, log), { subject: websiteId, days: [] });
    expect(await run(versions.pool, { text, values: [] })).toEqual(before);
    expect(await check(log, true)).toEqual([]);
  });

  it('compares days again that have changed, or were compared hours ago, and no others', async () => {
    const websiteId = `site_${++sites}`;
    await empty();
    const log = new MemoryLog(eachKindOf(websiteId, 'UTC'));
    await versions.project(IN_PIECES, log);
    const compared = jest.spyOn(WindowComparison.prototype, 'run');
    const again = async () => {
      compared.mockClear();
      expect(await check(log, true)).toEqual([]);
      return compared.mock.calls.length;
    };
    expect([await again(), await again()]).toEqual([1, 0]);
    log.add(...eachKindOf(websiteId, 'UTC').slice(0, 1));
    await versions.project(IN_PIECES, log);
    expect([await again(), await again()]).toEqual([1, 0]);
    await sealDays({ pool: versions.pool, schema: SCHEMA, quietMs: 0 });
    expect([await again(), await again()]).toEqual([1, 0]);
    await run(versions.pool, sql`update reconciled_days set proven_at = proven_at - interval '5 hours'`);
    expect([await again(), await again()]).toEqual([1, 0]);
    log.add(...log.hits.slice(0, 2).map(({ event }) => event)); // as a client may send events again after days
    await versions.project(IN_PIECES, log);
    expect([await again(), await again(), await again()]).toEqual([1, 1, 0]); // they are counted again, once
    compared.mockRestore();
  });

  it('finds nothing where an event was sent again a moment later, on the next day', async () => {
    const view = pageView(Date.parse('2026-05-24T00:00:00Z') - 1, { websiteId: `site_${++sites}` });
    await empty();
    const log = new MemoryLog([view, { ...view, at: view.at + 1 }]);
    await versions.project(IN_PIECES, log);
    await advance(log);
    expect(await check(log, false)).toEqual([]);
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
    expect(await check(log, false)).toEqual([]);
  });

  let versions: WebsiteVersions;
  let sites = 0;
  beforeAll(async () => void (versions = await openWebsiteVersions()));
  afterAll(() => versions.close());

  /** Returns how many visitors and numbers there are, and pairs of both, and whether all days are sealed. */
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

  const check = (log: MemoryLog, goesOn: boolean) => compareWebsites(versions.pool, log, goesOn);

  /** Both logs begin with the websites of earlier runs, whose events are not in this one. */
  const ofSite = (findings: readonly Finding[], id: string) =>
    findings.filter(({ subject }) => subject === id).map((finding) => ({ ...finding, text: describeFinding(finding) }));

  const empty = () => {
    const tables = new WebsitesGroup(versions.pool).builds.flatMap(({ name }) =>
      [IN_ONE_GO, IN_PIECES].map((version) => `${schemaOf('websites', version)}.${name}`),
    );
    return run(versions.pool, {
      text: `truncate ${tables.join(', ')}, dictionary, reconciled_days, reconciliations`,
      values: [],
    });
  };

  const advance = async (log: MemoryLog) =>
    run(versions.pool, {
      text: 'update projection_checkpoints set cursor = $1 where version = $2',
      values: [await log.head(), IN_PIECES],
    });
});
