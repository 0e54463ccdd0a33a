import fc from 'fast-check';
import type { MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { timeBuckets, GRANULARITIES, instantsOf, type Granularity } from '@ledgerline/domain/query/buckets';
import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { queryTypeNamed } from '../../apps/api/src/query/types/catalogue';
import { randomChecks } from '../monitors/random-checks';
import { asking } from '../query/answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from '../query/projected-database';
import { naiveResponseTimes, naiveUptime, naiveUptimeRow } from './naive-monitor-answers';

describe('the answers about monitors', () => {
  it('are those of plain loops over their checks', async () => {
    const wish = fc.record({
      checks: randomChecks(START, (n) => `mon_${n}`),
      zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu'),
      granularity: fc.constantFrom(...GRANULARITIES),
      first: fc.nat({ max: 2 }),
      days: fc.nat({ max: 3 }),
      later: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 48 * 60 })),
      isPaused: fc.boolean(),
    });
    const property = fc.asyncProperty(wish, async ({ checks, zone, granularity, first, days, later, isPaused }) => {
      round++;
      const own = checks.map((check) => {
        const monitorId = `${check.data.monitorId}_${round}`;
        return { ...check, id: check.id, data: { ...check.data, monitorId } };
      });
      for (const n of [1, 2]) {
        const id = `mon_${n}_${round}`;
        const some = own.filter(({ data }) => data.monitorId === id);
        await database.send(id, some, 7, 'never');
        const now = Math.max(START, ...some.map(({ at }) => at)) + later * 60_000;
        const range = { startDate: `2026-05-0${3 + first}`, endDate: `2026-05-0${3 + first + days}` };
        await compare(some, { id, zone, granularity, now, isPaused, ...range });
      }
    });
    await fc.assert(property, { seed: 27, numRuns: 20 });
  }, 120_000);

  let database: ProjectedDatabase;
  let round = 0;

  beforeAll(async () => {
    database = await openProjectedDatabase();
  });

  afterAll(() => database.close());

  async function compare(
    checks: readonly MonitorChecked[],
    { id, zone, granularity, now, isPaused, startDate, endDate }: Wish,
  ): Promise<void> {
    const days = { startDate, endDate };
    const asked = {
      about: 'monitor' as const,
      id,
      isPaused,
      ownZone: 'UTC',
      timezone: zone,
      ...days,
      granularity,
      now,
    };
    const ask = await asking(database.pool, { ...asked, filters: [] });
    const rows = async (name: string) => ask(queryTypeNamed(name)!);
    const buckets = timeBuckets(days, zone, granularity, now);
    const each = (row: typeof naiveUptimeRow) =>
      buckets.map(({ label, from, to }) => row(checks, label, { from, to, now, isPaused }));
    expect(await rows('uptime_summary')).toEqual([naiveUptime(checks, { ...instantsOf(days, zone), now, isPaused })]);
    expect(await rows('uptime_by_day')).toEqual(each(naiveUptimeRow));
    expect(await rows('response_times')).toEqual(each(naiveResponseTimes).map(near));
  }
});

interface Wish {
  readonly id: string;
  readonly zone: string;
  readonly granularity: Granularity;
  readonly now: number;
  readonly isPaused: boolean;
  readonly startDate: string;
  readonly endDate: string;
}

const START = Date.parse('2026-05-04T00:00:00Z');

const PERCENTILES = ['p50', 'p95', 'p99'];

/** Percentiles within 1 %. */
const near = (row: AnswerRow): AnswerRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      PERCENTILES.includes(name) && typeof value === 'number' ? within(value) : value,
    ]),
  );

function within(value: number): unknown {
  return {
    asymmetricMatch: (other: unknown) => typeof other === 'number' && Math.abs(other - value) <= value * 0.0101,
    toString: () => `within 1 % of ${value}`,
  };
}
