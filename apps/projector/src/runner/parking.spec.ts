import fc from 'fast-check';
import type { Pool } from 'pg';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { decidedHistory } from '@test/domain/decided-history';
import { randomChecks } from '@test/monitors/random-checks';
import { clicks } from '@test/oracle/random-clicks';
import { traffic } from '@test/oracle/random-traffic';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { compareVersions } from '@test/projector/compare-versions';
import { failing, type Faults } from '@test/projector/failing-group';
import { MemoryLog } from '@test/projector/memory-log';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { monitorsGroup } from '../projections/monitors/monitors-group';
import type { ProjectionGroup } from '../projections/projection-group';
import { registryGroup } from '../projections/registry/registry-group';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { withVersionsLock } from '../versions/change-layout';
import { openLiveVersion } from '../versions/live-version';
import { createVersion } from '../versions/version-tables';
import { bind, type BoundGroup } from './bound-group';

type Group = ProjectionGroup<LoggedHit>;

/** The version without the events that are parked. */
const WITHOUT = 2;
/** The version with them parked. */
const PARKED = 3;
/** The version as if nothing had ever failed. */
const WHOLE = 4;

/** By group: random events of something new each time, and what its events must stay in order with. */
const GROUPS: Readonly<Record<string, readonly [(pool: Pool) => Group, fc.Arbitrary<EventsOf>, OrderOf]>> = {
  websites: [
    (pool) => new WebsitesGroup(pool),
    traffic.map(
      ({ events, zone }) =>
        (n) =>
          events({ websiteId: `site_${n}`, organizationId: 'org_1', zone }),
    ),
    ({ id, data }) => JSON.stringify(data['visitorId'] ?? data['sessionId'] ?? id),
  ],
  links: [
    () => linksGroup(),
    clicks.map(
      ({ events }) =>
        (n) =>
          events({ linkId: `link_${n}`, organizationId: 'org_1' }),
    ),
    ({ data }) => String(data['visitorId']),
  ],
  monitors: [
    monitorsGroup,
    randomChecks(Date.parse('2026-05-04T00:00:00Z'), (n) => `mon_${n}`).map(
      (checks) => (round) =>
        checks.map((check) => ({ ...check, data: { ...check.data, monitorId: `${check.data.monitorId}_${round}` } })),
    ),
    ({ data }) => String(data['monitorId']),
  ],
  registry: [
    registryOverHits,
    decidedHistory.map((history) => (n) => history.map((event, place) => asHit(event, `${n}_${place}`))),
    ({ stream }) => String(stream),
  ],
};

type Plain = { readonly id: string; readonly stream?: string; readonly data: Readonly<Record<string, unknown>> };
type OrderOf = (event: Plain) => string;
type EventsOf = (n: number) => readonly ObservedEvent[];

describe.each(Object.entries(GROUPS))('parking in %s', (_, [open, random, orderOf]) => {
  it('sets the same events aside for every batch size, and a retry leaves tables as if nothing had failed', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    const poison = fc.record({
      share: fc.double({ min: 0, max: 0.999, noNaN: true }),
      as: fc.constantFrom('sql', 'code'),
    });
    const poisons = fc.array(poison, { minLength: 1, maxLength: 5 });
    const property = fc.asyncProperty(random, poisons, sizes, sizes, async (eventsOf, places, pieces, batches) => {
      const events = eventsOf(++round);
      const faults = new Map(places.map(({ share, as }) => [events[Math.floor(share * events.length)]?.id, as]));
      const { parked, roots } = expectedParked(events, faults, orderOf);
      const isParked = ({ id }: ObservedEvent) => parked.includes(id);
      const half = events.slice(0, Math.ceil(events.length / 2));
      await project(
        WITHOUT,
        events.filter((event) => !isParked(event)),
        { pieces },
      );
      await project(WHOLE, events, { pieces });
      for (const part of [half, events]) await project(PARKED, part, { pieces, batches, faults });
      expect(await parkedRows()).toEqual(parked.map((id) => ({ id, isRoot: roots.includes(id) })));
      expect(await compareVersions(pool, bound([]), WITHOUT, PARKED)).toEqual([]);

      expect(await retry(events, faults)).toEqual({ projected: 0, failed: roots.length });
      expect(await retry(events)).toEqual({ projected: parked.length, failed: 0 });
      expect(await parkedRows()).toEqual([]);
      expect(await compareVersions(pool, bound([]), WHOLE, PARKED)).toEqual([]);
      await restart();
      await project(WITHOUT, events.filter(isParked), { pieces }); // so that the next run begins with equal versions
      await restart();
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  }, 600_000);

  let database: TestDatabase;
  let pool: Pool;
  let round = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    const group = bound([]);
    await openLiveVersion(pool, group, group.log);
    for (const version of [WITHOUT, PARKED, WHOLE])
      await withVersionsLock(pool, (client) => createVersion(client, group, version, group.log));
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const bound = (events: readonly ObservedEvent[], faults: Faults = new Map(), piece?: () => number): BoundGroup =>
    bind(failing(open(pool), faults), new MemoryLog(events, piece), pool);

  /** By two processes, which take turns. */
  async function project(
    version: number,
    events: readonly ObservedEvent[],
    { pieces, batches = [1_000], faults }: { pieces: readonly number[]; batches?: readonly number[]; faults?: Faults },
  ): Promise<void> {
    let piece = 0;
    let batch = 0;
    const group = bound(events, faults, () => pieces[piece++ % pieces.length]!);
    for (let steps = ['']; steps.some((step) => step !== 'idle');) {
      const runners = [1, 2].map(() =>
        group.runner({ partition: 0, batch: batches[batch++ % batches.length]!, version }),
      );
      steps = [];
      for (const runner of [...runners, ...runners]) steps.push(await runner.step());
    }
  }

  const restart = () => run(pool, sql`update projection_checkpoints set cursor = ''`);

  const retry = (events: readonly ObservedEvent[], faults?: Faults) => {
    const group = bound(events, faults);
    return group.retryParked({ key: { group: group.name, version: PARKED, partition: 0 } });
  };

  const parkedRows = () =>
    run(pool, sql`select event_id as id, error is not null as "isRoot" from parked_events order by number`);
});

const RUNS = Number(process.env['PARKING_RUNS'] ?? 4);
const SEED = Number(process.env['PARKING_SEED'] ?? 12);

/** One event at a time: what fails, and what comes later in the same order. */
function expectedParked(events: readonly ObservedEvent[], faults: Faults, orderOf: OrderOf) {
  const blocked = new Set<string>();
  const parked: string[] = [];
  const roots: string[] = [];
  for (const event of events) {
    const order = orderOf(event as unknown as Plain);
    if (!blocked.has(order) && !faults.has(event.id)) continue;
    parked.push(event.id);
    if (!blocked.has(order)) roots.push(event.id);
    blocked.add(order);
  }
  return { parked, roots };
}

/** A decided event in a log of hits. */
const asHit = (event: Recorded, id: string) =>
  ({ ...event, id, receivedAt: 0, metadata: {} }) as unknown as ObservedEvent;

function registryOverHits(): Group {
  const { hitIn: _, ...group } = registryGroup();
  const decided = ({ event }: LoggedHit) => event as unknown as RecordedEvent;
  return {
    ...group,
    cursorOf: ({ offset }) => String(offset),
    loggedAt: (hit) => group.loggedAt(decided(hit)),
    describe: (hit) => group.describe(decided(hit)),
    prepare: (hits) => group.prepare(hits.map(decided)),
  };
}
