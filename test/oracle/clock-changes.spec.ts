import fc from 'fast-check';
import { DateTime } from 'luxon';
import { timeBuckets, GRANULARITIES, type Granularity, type InstantRange } from '@ledgerline/domain/query/buckets';
import { addDays, dayName, dayNumber, dayOf, hourOf } from '@ledgerline/domain/time/zones';
import { CLOCK_CHANGES } from './clock-changes';
import { buckets, dateOf } from './naive-request';

/** `CLOCK_RUNS=5000 npx jest test/oracle/clock-changes` for the long run. */
const RUNS = Number(process.env['CLOCK_RUNS'] ?? 40);
const SEED = 20_261_121;

const FIFTEEN_MINUTES_MS = 900_000;
const LATER = Date.parse('2040-01-01');

describe('days and hours where clocks change', () => {
  it.each(CLOCK_CHANGES)('are those of the oracle in %s around %s', (zone, day) => {
    for (const granularity of GRANULARITIES) expectOracle(zone, day, granularity, LATER);
  });

  it('are those of the oracle in every zone, whenever clocks change', () => {
    const property = fc.property(change, granularity, hoursLater, ({ zone, day }, unit, hours) =>
      expectOracle(zone, day, unit, Date.parse(day) + hours * 3_600_000),
    );
    fc.assert(property, { seed: SEED, numRuns: RUNS });
  });
});

const zones = Intl.supportedValuesOf('timeZone');
const granularity = fc.constantFrom(...GRANULARITIES);
/** The hours after the day in UTC at which somebody asks: before, within and after it. */
const hoursLater = fc.integer({ min: -40, max: 80 });

/** A day on which the clocks of a zone change, or its first day in a year without. */
const change = fc
  .record({ zone: fc.constantFrom(...zones), year: fc.integer({ min: 1980, max: 2037 }), nth: fc.nat() })
  .map(({ zone, year, nth }) => {
    const days = Array.from({ length: 366 }, (_, day) => dayName(dayNumber(`${year}-01-01`) + day));
    const offsets = days.map((day) => offsetOn(day, zone));
    const changes = days.slice(0, 365).filter((_, at) => offsets[at] !== offsets[at + 1]);
    return { zone, day: changes[nth % changes.length] ?? `${year}-01-01` };
  })
  // clocks went from 02:00 back to 23:00 of the day before, which no answer can show as whole days
  .filter(({ zone, day }) => !(zone === 'Antarctica/Casey' && day.startsWith('2010-03')));

const offsetOn = (day: string, zone: string) => DateTime.fromISO(day, { zone }).offset;

/** The buckets around a day are the oracle's, each 15 minutes lie in the same one, and rollups have the same keys. */
function expectOracle(zone: string, day: string, unit: Granularity, now: number): void {
  const days = { startDate: addDays(day, -1), endDate: addDays(day, 1) };
  const found = timeBuckets(days, zone, unit, now);
  const expected = buckets({ ...days, timezone: zone, granularity: unit, filters: [], now });
  const times = Array.from({ length: 120 * 4 }, (_, nth) => Date.parse(day) + (nth - 48 * 4) * FIFTEEN_MINUTES_MS);
  const places = times.map((at) => found.findIndex(({ stretches }) => stretches.some((each) => holds(each, at))));
  const where = `${zone} ${day} ${unit} at ${new Date(now).toISOString()}`;
  expect({ where, labels: found.map(({ label }) => label), places }).toEqual({
    where,
    labels: expected.map(({ date }) => date),
    places: times.map((at) => expected.findIndex(({ has }) => has(at))),
  });
  expect(times.map((at) => dayOf(at, zone))).toEqual(times.map((at) => dateOf(at, zone)));
  if (unit !== 'hourly') return;
  const inBuckets = times.filter((_, nth) => places[nth] !== -1);
  expect(inBuckets.map((at) => hourOf(at, zone))).toEqual(
    places.filter((place) => place !== -1).map((place) => found[place]?.from),
  );
}

const holds = ({ from, to }: InstantRange, at: number) => from <= at && at < to;
