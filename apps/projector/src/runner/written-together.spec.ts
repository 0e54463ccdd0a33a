import fc from 'fast-check';
import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { clicks } from '@test/oracle/random-clicks';
import { traffic } from '@test/oracle/random-traffic';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { compareVersions } from '@test/projector/compare-versions';
import { failing, type Faults } from '@test/projector/failing-group';
import { PARTITIONS, runnersOf, stepAll } from '@test/projector/live-runners';
import { PartitionedMemoryLog } from '@test/projector/memory-log';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import type { ProjectionGroup } from '../projections/projection-group';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { withVersionsLock } from '../versions/change-layout';
import { openLiveVersion } from '../versions/live-version';
import { createVersion } from '../versions/version-tables';
import { bind, type BoundGroup } from './bound-group';
import type { LiveRunner } from './run-partition';

/** By group: random events of a website or link with this name. */
const GROUPS: Readonly<Record<string, readonly [(pool: Pool) => ProjectionGroup<LoggedHit>, fc.Arbitrary<EventsOf>]>> =
  {
    websites: [
      (pool) => new WebsitesGroup(pool),
      traffic.map(
        ({ events, zone }) =>
          (name) =>
            events({ websiteId: `site_${name}`, organizationId: 'org_1', zone }),
      ),
    ],
    links: [
      () => linksGroup(),
      clicks.map(
        ({ events }) =>
          (name) =>
            events({ linkId: `link_${name}`, organizationId: 'org_1' }),
      ),
    ],
  };

type EventsOf = (name: string) => readonly ObservedEvent[];

interface Moment {
  readonly arrivals: readonly number[];
  readonly stepping: readonly number[];
  readonly rival: number | null;
  readonly restarts: boolean;
}

/** The events of a moment: hits arrive, partitions go on, in another process one of them, and this process restarts. */
const moment: fc.Arbitrary<Moment> = fc.record({
  arrivals: fc.tuple(...PARTITIONS.map(() => fc.nat({ max: 4 }))),
  stepping: fc.oneof(
    fc.constant<readonly number[]>(PARTITIONS),
    fc.subarray<number>([...PARTITIONS], { minLength: 1 }),
  ),
  rival: fc.constantFrom(null, null, null, ...PARTITIONS),
  restarts: fc.nat({ max: 7 }).map((each) => each === 0),
});

/** The places where events are refused, by partition and their share of all before them. */
const poison = fc.record({
  partition: fc.constantFrom(...PARTITIONS),
  share: fc.double({ min: 0, max: 0.999, noNaN: true }),
  as: fc.constantFrom('sql', 'code'),
});

describe.each(Object.entries(GROUPS))('partitions of %s that are written together', (_, [openGroup, random]) => {
  it('have the rows, checkpoints and parked events of partitions that are written one by one', async () => {
    const several = fc.tuple(...PARTITIONS.map(() => fc.array(random, { minLength: 2, maxLength: 5 })));
    const moments = fc.array(moment, { minLength: 8, maxLength: 16 });
    const poisons = fc.array(poison, { maxLength: 3 });
    const pieces = fc.array(fc.integer({ min: 2, max: 60 }), { minLength: 3, maxLength: 6 });
    const property = fc.asyncProperty(several, moments, poisons, pieces, async (eventsOf, steps, places, sizes) => {
      round++;
      const events = eventsOf.map((things, partition) => things.flatMap((of, at) => of(`${round}_${partition}_${at}`)));
      const faults = new Map(
        places.map(({ partition, share, as }) => {
          const some = events[partition]!;
          return [some[Math.floor(share * some.length)]?.id, as];
        }),
      );
      let size = 0;
      const log = new PartitionedMemoryLog(PARTITIONS.length, () => sizes[size++ % sizes.length]!);
      await projectTogether(log, { events, steps, faults });
      const group = bound(log, faults);
      for (const partition of PARTITIONS) {
        const alone = group.runner({ partition, batch: 1_000, version: ALONE });
        while ((await alone.step()) !== 'idle');
      }
      expect(await checkpoints(TOGETHER)).toEqual(await checkpoints(ALONE));
      expect(await parkedIn(TOGETHER)).toEqual(await parkedIn(ALONE));
      expect(await compareVersions(pool, group, TOGETHER, ALONE)).toEqual([]);
      await run(pool, sql`update projection_checkpoints set cursor = '', events = 0, as_of = null`);
      await run(pool, sql`delete from parked_events`);
    });
    await fc.assert(property, { seed: 44, numRuns: RUNS });
    expect(shared).toBeGreaterThan(RUNS);
  }, 600_000);

  let database: TestDatabase;
  let pool: Pool;
  let round = 0;
  /** Batches that had events of several partitions. */
  let shared = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 6 });
    const group = bound(new PartitionedMemoryLog(PARTITIONS.length), new Map());
    await openLiveVersion(pool, group, group.log);
    await withVersionsLock(pool, (client) => createVersion(client, group, ALONE, group.log));
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  interface History {
    readonly events: readonly (readonly ObservedEvent[])[];
    readonly steps: readonly Moment[];
    readonly faults: Faults;
  }

  async function projectTogether(log: PartitionedMemoryLog, { events, steps, faults }: History): Promise<void> {
    const rival = bound(log, faults);
    let runners = runnersOf(bound(log, faults));
    const sent = events.map(() => 0);
    const send = (partition: number, count: number) => {
      const from = sent[partition]!;
      log.add(partition, ...events[partition]!.slice(from, (sent[partition] = from + count)));
    };
    for (const { arrivals, stepping, rival: taken, restarts } of steps) {
      arrivals.forEach((count, partition) => send(partition, count));
      if (restarts) runners = runnersOf(bound(log, faults));
      const others = taken === null ? [] : [rival.runner({ partition: taken, batch: 1_000, version: TOGETHER })];
      await Promise.all([...stepping.map((each) => stepToHead(runners[each]!)), ...others.map((each) => each.step())]);
    }
    events.forEach((_, partition) => send(partition, Infinity));
    while ((await stepAll(runners)).some((step) => step !== 'idle'));
  }

  function bound(log: PartitionedMemoryLog, faults: Faults): BoundGroup {
    const group = failing(openGroup(pool), faults);
    const prepare = group.prepare.bind(group);
    group.prepare = (hits) => {
      const names = hits.map(({ event }) => group.describe({ event, partition: 0, offset: 0 }).subject);
      if (new Set(names).size > 1) shared++;
      return prepare(hits);
    };
    return bind(group, log, pool);
  }

  const checkpoints = (version: number) =>
    run(
      pool,
      sql`select partition, cursor, events, as_of from projection_checkpoints where version = ${version} order by partition`,
    );

  const parkedIn = (version: number) =>
    run(
      pool,
      sql`select partition, event_id, error is not null as "isRoot" from parked_events where version = ${version}
        order by partition, number`,
    );
});

const TOGETHER = 1;
const ALONE = 2;
const RUNS = Number(process.env['TOGETHER_RUNS'] ?? 6);

/** As the loop of a partition does. */
async function stepToHead(runner: LiveRunner): Promise<void> {
  for (let step = await runner.stepAtHead(); step === 'moved';) step = await runner.step();
}
