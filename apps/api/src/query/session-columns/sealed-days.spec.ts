import { ALL_ZERO, ColumnReader, encodeIntegers } from '@ledgerline/aggregation/integer-column';
import { sessionDays, sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { ColumnCache } from './column-cache';
import { listSealedDays, readColumns } from './sealed-days';

let on: SqlDatabase;
beforeEach(async () => (on = await openSqlDatabase()));
afterEach(() => on.close());

describe('the columns of sealed days', () => {
  it('are read in the order of their rows, with a zero for a column of nothing else', async () => {
    await insert({ day: '2026-03-03', number: 1 }, [5, 6]);
    await insert({ day: '2026-03-02', number: 2 }, [3]);
    await insert({ day: '2026-03-03' }, null);
    expect(await citiesOf(CACHE())).toEqual([[3], [0, 0], [5, 6]]);
  });

  it('are those of rows with countries and devices that filters leave, and of sessions that reach into the range', async () => {
    await insert({ day: '2026-02-01', countries: [1], last_at: '2026-03-02T00:00Z' }, [1]);
    await insert({ day: '2026-02-02', countries: [1], last_at: '2026-03-01T23:59Z' }, [2]);
    await insert({ day: '2026-03-02', countries: [2, 3], device_types: [1] }, [3]);
    await insert({ day: '2026-03-03', countries: [1], device_types: [4, 5] }, [4]);
    await insert({ day: '2026-03-04', countries: [3, 4] }, [6]);
    await insert({ day: '2026-03-05', countries: [1] }, [5]);
    const by = (field: string, negated: boolean) => ({ filters: [{ field, values: [1, 4], negated }] });
    expect(await citiesOf(CACHE(), by('country', false))).toEqual([[1], [4], [6]]);
    expect(await citiesOf(CACHE(), by('country', true))).toEqual([[3], [6]]);
    expect(await citiesOf(CACHE(), by('device_type', false))).toEqual([[3], [4]]);
    expect(await citiesOf(CACHE(), by('device_type', true))).toEqual([[1], [4], [6]]);
    const either = { any: [...by('country', false).filters, ...by('device_type', false).filters] };
    expect(await citiesOf(CACHE(), { filters: [either] })).toEqual([[1], [3], [4], [6]]);
  });

  it('are read once, until a row has another version', async () => {
    const cache = CACHE();
    const reading = counted(on.pool);
    await insert({ day: '2026-03-02', version: 1 }, [3]);
    expect([await citiesOf(cache, {}, reading), await citiesOf(cache, {}, reading)]).toEqual([[[3]], [[3]]]);
    expect([reading.statements, cache.hits, cache.misses]).toEqual([3, 1, 1]); // two lists, and the column once
    await on.run(sql`delete from websites_v1.session_days`);
    await insert({ day: '2026-03-02', version: 2 }, [4]);
    expect(await citiesOf(cache, {}, reading)).toEqual([[4]]);
  });

  it('are kept up to so many MiB', async () => {
    const values = Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 65_521);
    for (const day of ['2026-03-02', '2026-03-08', '2026-03-17']) await insert({ day }, values);
    const cache = new ColumnCache(1);
    const range = { startDate: '2026-03-02', endDate: '2026-03-18', to: Date.parse('2026-03-19T00:00Z') };
    expect(await citiesOf(cache, range)).toEqual([values, values, values]); // in parts of some KiB
    expect(cache.size).toBeGreaterThan(500_000);
    expect(cache.size).toBeLessThanOrEqual(1024 * 1024);
    expect(new ColumnCache(0)).toMatchObject({ size: 0 });
  });

  it('come with the days that are sealed, whatever is in them', async () => {
    const state = (day: string, is_sealed: boolean) => ({
      website: 1,
      day,
      is_sealed,
      changed_at: '2026-03-09T00:00Z',
    });
    await on.insert(sessionDayStates, [
      state('2026-03-03', true),
      state('2026-03-02', true),
      state('2026-03-04', false),
    ]);
    const { days, rows, pieces } = await listSealedDays(on.pool, queryContext());
    expect([[...days], rows.day.length, pieces]).toEqual([[20_514, 20_515], 0, []]);
  });
});

const CACHE = () => new ColumnCache(8);

interface Row {
  readonly day: string;
  readonly number?: number;
  readonly countries?: readonly number[];
  readonly device_types?: readonly number[];
  readonly last_at?: string;
  readonly version?: number;
}

/** A row with a session for each city. */
async function insert(row: Row, cities: readonly number[] | null): Promise<void> {
  const city = cities && Buffer.from(encodeIntegers(Int32Array.from(cities)));
  const size = cities?.length ?? 2;
  const sets = { countries: [1], device_types: [2] };
  await on.insert(sessionDays, [{ website: 1, size, city, last_at: `${row.day}T23:00Z`, ...sets, ...row }]);
}

/** By row. */
async function citiesOf(
  cache: ColumnCache,
  given: Parameters<typeof queryContext>[0] = {},
  reading: Queryable = on.pool,
) {
  const context = queryContext(given);
  const { rows, pieces } = await listSealedDays(reading, context);
  const read = await readColumns(reading, context, pieces, { columns: ['city'], cache });
  return pieces.flatMap(({ from, to }, nth) => {
    const reader = new ColumnReader(read[nth]?.columns.get('city') ?? ALL_ZERO);
    return [...rows.size.subarray(from, to)].map((size) => [...reader.read(size)]);
  });
}

function counted(pool: Queryable) {
  const reading = {
    statements: 0,
    query: (text: string, values: unknown[]) => {
      reading.statements++;
      return pool.query(text, values);
    },
  };
  return reading as typeof reading & Queryable; // statements are sent in this form alone
}
