import fc from 'fast-check';
import type { RollupBytes, RollupParts } from '@ledgerline/aggregation/tasks';
import { type RollupName, rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { openPool, readTransaction, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { runs } from '@test/random-runs';
import { beginSnapshot } from '../snapshot/snapshot';
import { ColumnCache } from './column-cache';
import { keyOfParts, preAggregateColumn, preAggregatedNumbers, type RollupRead, readRollupParts } from './rollup-parts';

let on: SqlDatabase;
beforeAll(async () => (on = await openSqlDatabase()));
afterAll(() => on.close());
beforeEach(() => on.run(sql`delete from websites_v1.website_rollups`));

const nameOf = (name: RollupName) => rollupNamed(name).name;
const VIEWS = nameOf('views');
const PAGES = nameOf('pages');
const NAMES: readonly string[] = [VIEWS, PAGES, nameOf('vitals_of_pages')];

describe('the parts of rollups of ranges', () => {
  it('are those of all rows that have days of them, whatever the cache has', async () => {
    const row = fc.record({
      website: fc.constantFrom(1, 1, 2),
      number: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      since: fc.integer({ min: -2, max: 8 }),
      days: fc.nat(4),
      columns: fc.array(fc.option(fc.uint8Array({ minLength: 1, maxLength: 2_000 })), { minLength: 3, maxLength: 3 }),
    });
    const range = fc.record({
      since: fc.integer({ min: -3, max: 9 }),
      days: fc.nat(5),
      names: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 }),
    });
    const property = fc.asyncProperty(
      fc.uniqueArray(row, { maxLength: 6, selector: ({ number }) => number }),
      fc.array(fc.array(range, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      async (rows, questions) => {
        await on.run(sql`delete from websites_v1.website_rollups`);
        for (const { website, number, since, days, columns } of rows)
          await insert({ website, number, since, until: since + days, packs: named(columns) });
        const cache = new ColumnCache(1);
        for (const wanted of questions) {
          const ranges = wanted.map(({ since, days, names }) => ({
            since,
            until: since + days,
            names: new Set(names),
            byDay: new Set<string>(),
          }));
          const read = await readRollupParts(on.pool, queryContext(), ranges, cache);
          const expected = ranges.map(({ since, until, names }) => {
            const own = rows.filter(
              (each) => each.website === 1 && each.since <= until && each.since + each.days >= since,
            );
            const packsOf = (name: string) => own.flatMap(({ columns }) => columns[NAMES.indexOf(name)] ?? []);
            return { since, until, packs: Object.fromEntries([...names].map((name) => [name, sorted(packsOf(name))])) };
          });
          expect(read.map(({ packs, since, until }) => ({ since, until, packs: mapValues(packs, hex) }))).toEqual(
            expected,
          );
        }
      },
    );
    await fc.assert(property, { seed: 20_261_127, numRuns: runs(40) });
  });

  it('are read in two statements, of which the second asks for nothing but what the cache lacks', async () => {
    const cache = new ColumnCache(1);
    const reading = observed(on.pool);
    const read = (...ranges: readonly RollupRead[]) => readRollupParts(reading, queryContext(), ranges, cache);
    await insert({ number: 1n, since: 1, until: 3, packs: { [VIEWS]: [1], [PAGES]: [2] } });
    await read(range(1, 3, VIEWS));
    expect(reading.taken()).toEqual(['rows', `1 ${VIEWS}`]);
    await read(range(1, 3, VIEWS), range(0, 1, VIEWS));
    expect(reading.taken()).toEqual(['rows']);
    await insert({ number: 2n, since: 3, until: 9, packs: { [VIEWS]: [3] } });
    await read(range(1, 3, VIEWS, PAGES), range(9, 9, VIEWS));
    expect(reading.taken()).toEqual(['rows', `1 ${PAGES}`, `2 ${VIEWS}`, `2 ${PAGES}`]);
    await read(range(1, 9, VIEWS, PAGES)); // that there is nothing is known, too
    expect(reading.taken()).toEqual(['rows']);
    await read(range(10, 12, nameOf('vitals')));
    expect(reading.taken()).toEqual(['rows']);
    expect([cache.hits, cache.misses]).toEqual([6, 4]);
  });

  it('are whole where a column is sent in several parts, and those of a cache that keeps nothing', async () => {
    const values = Uint8Array.from({ length: 500_000 }, (_, at) => (at * 7919) % 251);
    await insert({ number: 1n, since: 1, until: 3, packs: { [VIEWS]: values, [PAGES]: [7] } });
    const [found] = await readRollupParts(on.pool, queryContext(), [range(1, 1, VIEWS, PAGES)], new ColumnCache(0));
    expect(Buffer.compare(found!.packs[VIEWS]![0]!.bytes, values)).toBe(0);
    expect(bytesOf(found, PAGES)).toEqual([Uint8Array.of(7)]);
  });
});

describe('what parts were pre-aggregated into over a range', () => {
  it('stands for them while all of them are there, of several together before one by one', async () => {
    const cache = new ColumnCache(1);
    const days = range(1, 3, VIEWS);
    const read = async () => {
      const [found] = await readRollupParts(on.pool, queryContext(), [days], cache);
      return found!.packs[VIEWS]!.map(({ numbers, bytes }) => [numbers.join(' '), ...bytes]).sort();
    };
    for (const number of [1n, 2n, 3n])
      await insert({ number, since: 1, until: 3, packs: { [VIEWS]: [Number(number)] } });
    const [{ of } = { of: '' }] = await readRollupParts(on.pool, queryContext(), [days], cache);
    const keep = (bytes: number, ...numbers: string[]) =>
      cache.set(keyOfParts(of, numbers), preAggregateColumn(VIEWS, days), Uint8Array.of(bytes));
    keep(11, '1');
    expect(await read()).toEqual([
      ['1', 11],
      ['2', 2],
      ['3', 3],
    ]);
    keep(12, '1', '2');
    cache.set(of, preAggregatedNumbers(VIEWS, days), Buffer.from('1 2'));
    expect(await read()).toEqual([
      ['1 2', 12],
      ['3', 3],
    ]);
    await on.run(sql`delete from websites_v1.website_rollups where number = 2`);
    expect(await read()).toEqual([
      ['1', 11],
      ['3', 3],
    ]);
    const [byDay] = await readRollupParts(on.pool, queryContext(), [{ ...days, byDay: new Set([VIEWS]) }], cache);
    expect(bytesOf(byDay, VIEWS)).toEqual([Uint8Array.of(1), Uint8Array.of(3)]);
  });
});

describe('rows that are merged while they are read', () => {
  it('are still those of the snapshot', async () => {
    await insert({ number: 1n, since: 1, until: 1, packs: { [VIEWS]: [1] } });
    await insert({ number: 2n, since: 1, until: 1, packs: { [VIEWS]: [2] } });
    const questions = openPool({ url: on.url, name: 'spec', max: 1, pipeline: true });
    const found = await readTransaction(questions, beginSnapshot(30_000), (client) =>
      readRollupParts(observed(client, merge), queryContext(), [range(1, 1, VIEWS)], new ColumnCache(1)),
    );
    await questions.end();
    expect(bytesOf(found[0], VIEWS)).toEqual([Uint8Array.of(1), Uint8Array.of(2)]);
    const [after] = await readRollupParts(on.pool, queryContext(), [range(1, 1, VIEWS)], new ColumnCache(1));
    expect(bytesOf(after, VIEWS)).toEqual([Uint8Array.of(3)]);
  });

  it('fail without one, instead of counting nothing', async () => {
    await insert({ number: 1n, since: 1, until: 1, packs: { [VIEWS]: [1] } });
    const reading = readRollupParts(observed(on.pool, merge), queryContext(), [range(1, 1, VIEWS)], new ColumnCache(1));
    await expect(reading).rejects.toThrow(`The column ${VIEWS} has gone.`);
  });
});

const range = (since: number, until: number, ...names: readonly string[]): RollupRead => ({
  since,
  until,
  names: new Set(names),
  byDay: new Set(),
});

const bytesOf = (found: RollupParts | undefined, name: string) => found?.packs[name]?.map(({ bytes }) => bytes);

const named = (columns: readonly (Uint8Array | null)[]) =>
  Object.fromEntries(NAMES.map((name, nth) => [name, columns[nth] ?? null]));

interface Given {
  readonly website?: number;
  readonly number: bigint;
  readonly since: number;
  readonly until: number;
  readonly packs: Readonly<Record<string, Iterable<number> | null>>;
}

const insert = ({ website = 1, number, since, until, packs }: Given): Promise<void> =>
  on.insert(websiteRollups, [
    { website, number, since, until, ...mapValues(packs, (bytes) => bytes && Buffer.from([...bytes])) },
  ]);

async function merge(): Promise<void> {
  await on.run(sql`delete from websites_v1.website_rollups`);
  await insert({ number: 3n, since: 1, until: 1, packs: { [VIEWS]: [3] } });
}

const mapValues = <Value, Made>(values: Readonly<Record<string, Value>>, make: (value: Value) => Made) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value)]));

const hex = (packs: readonly RollupBytes[]) => sorted(packs.map(({ bytes }) => bytes));
const sorted = (packs: readonly Uint8Array[]) => packs.map((bytes) => Buffer.from(bytes).toString('hex')).sort();

/** Records what was read; `meanwhile` is called once, after rows have been listed. */
function observed(pool: Queryable, meanwhile?: () => Promise<void>) {
  let read: string[] = [];
  return {
    async query(statement: { text: string; values: readonly unknown[] }) {
      const [numbers = [], names = []] = statement.values.filter((value): value is string[] => Array.isArray(value));
      const isList = statement.text.includes('string_agg');
      read.push(...(isList ? ['rows'] : numbers.map((number, nth) => `${number} ${names[nth]}`)));
      const result = await (pool.query(statement as never) as unknown as Promise<unknown>);
      if (isList) await meanwhile?.();
      return result;
    },
    taken() {
      const taken = read;
      read = [];
      return taken;
    },
  } as unknown as Queryable & { taken(): string[] }; // statements are sent in this form alone
}
