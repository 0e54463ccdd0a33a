import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import fc from 'fast-check';
import { traffic } from '@test/oracle/random-traffic';
import { MemoryLog } from '@test/projector/memory-log';
import { IN_ONE_GO, IN_PIECES, openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';
import { readLayout } from '@ledgerline/platform/table-versions/group-layout';
import { HIT_TYPES } from '../projections/websites/read-hit';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { tablesIn } from '../projections/written-tables';
import type { LivePartition } from './live-partition';
import { WebsitesCheck } from './check-websites';
import { describeFinding, type Finding } from './findings';
import { repairWebsiteDay } from './repair-website-day';

/** The version that is checked; the other one stays as it should be. */
const SCHEMA = schemaOf('websites', IN_PIECES);

describe('comparing the tables of websites with the log', () => {
  it('finds nothing in random traffic, and names a row that is missing, doubled or changed, or a lost event, which a repair mends', async () => {
    let planted = 0;
    const property = fc.asyncProperty(traffic, fc.nat(3), fc.nat(), async (random, fault, place) => {
      const websiteId = `site_${++sites}`;
      const events = random.events({ websiteId, organizationId: 'org_1', zone: random.zone });
      if (events.length === 0) return;
      await empty();
      const log = new MemoryLog([...events, ...events.slice(0, 3)]);
      const lost = fault === 3 ? events[place % events.length]! : undefined;
      await versions.project(IN_ONE_GO, log);
      await versions.project(
        IN_PIECES,
        lost ? new MemoryLog(log.hits.map(({ event }) => event).filter(isNot(lost))) : log,
      );
      await advance(log);
      if (!lost) {
        expect(ofSite(await check(log), websiteId)).toEqual([]);
        if (!(await plant(websiteId, fault, place))) return;
      }
      planted++;
      const findings = ofSite(await check(log), websiteId);
      expect(findings).not.toEqual([]);
      for (const { subject, day } of findings) await repairWebsiteDay(await liveOf(log), { subject, day });
      expect(ofSite(await check(log), websiteId)).toEqual([]);
      expect(await versions.differences()).toEqual([]);
    });
    await fc.assert(property, { seed: 71, numRuns: 8 });
    expect(planted).toBeGreaterThan(5);
  }, 120_000);

  let versions: WebsiteVersions;
  let sites = 0;
  beforeAll(async () => void (versions = await openWebsiteVersions()));
  afterAll(() => versions.close());

  const partOf = (log: MemoryLog) => ({ log, partition: 0, types: HIT_TYPES, isLeftOut: () => false });
  const key = { group: 'websites', version: IN_PIECES, partition: 0 } as const;
  const liveOf = async (log: MemoryLog): Promise<LivePartition> => {
    const layout = (await readLayout(versions.pool, 'websites'))?.id ?? '';
    const isCurrent = () => Promise.resolve(true);
    return { pool: versions.pool, part: partOf(log), tables: tablesIn(SCHEMA), layout, key, isCurrent };
  };

  async function check(log: MemoryLog): Promise<Finding[]> {
    const findings: Finding[] = [];
    const report = (finding: Finding) => Promise.resolve(void findings.push(finding));
    const rest = () => Promise.resolve();
    await new WebsitesCheck({ ...(await liveOf(log)), report, rest }).run();
    return findings;
  }

  /** Both logs begin with the websites of earlier runs, whose events are not in this one. */
  const ofSite = (findings: readonly Finding[], id: string) =>
    findings.filter(({ subject }) => subject === id).map((finding) => ({ ...finding, text: describeFinding(finding) }));

  const empty = () => {
    const tables = new WebsitesGroup(versions.pool).builds.flatMap(({ name }) =>
      [IN_ONE_GO, IN_PIECES].map((version) => `${schemaOf('websites', version)}.${name}`),
    );
    return run(versions.pool, { text: `truncate ${tables.join(', ')}`, values: [] });
  };

  const advance = async (log: MemoryLog) =>
    run(versions.pool, {
      text: 'update projection_checkpoints set cursor = $1 where version = $2',
      values: [await log.head(), IN_PIECES],
    });

  /** A fault in a row of any table of the website; false where it has none. */
  async function plant(id: string, fault: number, place: number): Promise<boolean> {
    const tables = new WebsitesGroup(versions.pool).builds.filter(
      ({ name }) =>
        !['website_days', 'session_days', 'session_day_states', 'visitor_profiles', 'profile_traits'].includes(name),
    );
    for (let next = 0; next < tables.length; next++) {
      const { name, columns } = tables[(place + next) % tables.length]!;
      const sums = Object.entries(columns).filter(([, { merge }]) => merge === 'sum');
      const own = `ctid = (select ctid from ${SCHEMA}.${name} where website = (select id from dictionary where scope = 0 and text = $1)
        order by ctid limit 1 offset (select $2::bigint % greatest(count(*), 1) from ${SCHEMA}.${name} where website = (select id from dictionary where scope = 0 and text = $1)))`;
      const [sum] = sums;
      if (fault > 0 && !sum) continue;
      const change =
        fault === 1 ? sums.map(([column]) => `${column} = 2 * ${column}`).join(', ') : `${sum?.[0]} = ${sum?.[0]} + 1`;
      const text =
        fault === 0
          ? `delete from ${SCHEMA}.${name} where ${own} returning 1`
          : `update ${SCHEMA}.${name} set ${change} where ${own} returning *`;
      const rows = await run(versions.pool, { text, values: [id, place] });
      if (
        rows.length > 0 &&
        (fault !== 1 || sums.some(([column]) => Number((rows[0] as Record<string, unknown>)[column]) !== 0))
      )
        return true;
    }
    return false;
  }
});

const isNot = (lost: WebsiteObservedEvent) => (event: { readonly id: string }) => event.id !== lost.id;
