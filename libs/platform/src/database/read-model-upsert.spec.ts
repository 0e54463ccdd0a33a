import fc from 'fast-check';
import type { Pool } from 'pg';
import { BinaryRowReader } from '@ledgerline/contracts/read-models/binary-format';
import { key, last, max, min, readModel, sum } from '@ledgerline/contracts/read-models/read-model';
import { createReadModels } from '@test/postgres/read-model-tables';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openPool, run } from './pool';
import { FoldedRows, type ReadModelRow } from './read-model-rows';
import { indexesDdl, tablesDdl } from './read-model-tables';
import { deleteEmptied, deleteRows, updateRows, upsert } from './read-model-upsert';
import { sql } from './sql';

describe('a read model in Postgres', () => {
  it('has its key, room on its pages, its indexes and none on counters', () => {
    expect(withoutComments([...tablesDdl('g_v1', [counters]), ...indexesDdl('g_v1', [counters])])).toEqual([
      'create schema if not exists "g_v1"',
      'create table if not exists "g_v1"."counters" ("place" text not null, "day" date not null, ' +
        '"count" bigint not null, "first" timestamptz not null, "newest" timestamptz not null, ' +
        '"label" text not null, primary key ("place", "day")) with (fillfactor=90)',
      'create index if not exists "counters_d3e77999" on "g_v1"."counters" ("day")',
    ]);
  });

  it('has no room where an index follows each change', () => {
    expect(withoutComments([...tablesDdl('g_v1', [narrowed]), ...indexesDdl('g_v1', [narrowed])]).slice(1)).toEqual([
      'create table if not exists "g_v1"."narrowed" ("id" integer not null, "at" date not null, ' +
        '"kind" integer not null, primary key ("id")) with (fillfactor=100)',
      'create index if not exists "narrowed_ee1d86dc" on "g_v1"."narrowed" ("at")',
    ]);
  });

  it('may be created twice', async () => {
    await createReadModels(pool, 'g_v1', [counters, everything]);
  });

  it('keeps values of every type', async () => {
    await run(pool, upsert('g_v1', everything, [row, { ...nulls, id: 2 }]));
    const read = await run(pool, sql`select to_jsonb(e) as e from g_v1.everything e order by id`);
    expect(read.map(({ e }) => e as unknown)).toEqual([
      {
        id: 1,
        yes: true,
        small: -7,
        big: -5_000_000_000_123,
        ratio: 0.5,
        word: 'naïve 🌍',
        uuid: '00112233-4455-6677-8899-aabbccddeeff',
        day: '2026-03-01',
        never: '-infinity',
        at: '2026-03-01T12:00:00.123+00:00',
        json: { a: [1] },
        bytes: '\\x00ff10',
        times: ['1969-12-31T23:59:59.999+00:00', '2026-03-01T00:00:00+00:00'],
        ids: ['00112233-4455-6677-8899-aabbccddeeff', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
        numbers: [3, -4],
      },
      {
        id: 2,
        yes: false,
        small: 0,
        big: 0,
        ratio: 0,
        word: null,
        uuid: null,
        day: '1970-01-01',
        never: '1970-01-01',
        at: null,
        json: null,
        bytes: null,
        times: [],
        ids: [],
        numbers: [],
      },
    ]);
  });

  it('is read back as one binary record', async () => {
    const [found] = await run<{ record: Buffer }>(
      pool,
      sql`select record_send(row(id, small, uuid, times, ids, numbers)) as record from g_v1.everything where id = 1`,
    );
    const reader = new BinaryRowReader(found!.record);
    const read = [reader.integer(), reader.smallint(), reader.uuid(), reader.timestamps()];
    const ids = reader.placesOfUuids().map((place) => reader.uuidAt(place));
    expect([...read, ids, reader.integers()]).toEqual([1, -7, row.uuid, row.times, row.ids, row.numbers]);
  });

  it('merges rows like memory does, whatever the pieces', async () => {
    const someRow = fc.record({
      place: fc.constantFrom('a', 'b'),
      day: fc.integer({ min: 20_000, max: 20_002 }),
      count: fc.integer({ min: -3, max: 3 }),
      first: fc.integer({ min: 0, max: 9 }),
      newest: fc.integer({ min: 0, max: 1_000_000 }),
      label: fc.string({ unit: 'grapheme-ascii', maxLength: 3 }),
    });
    const property = fc.asyncProperty(fc.array(fc.array(someRow), { maxLength: 4 }), async (pieces) => {
      await run(pool, sql`truncate g_v1.counters`);
      const whole = new FoldedRows(counters);
      for (const piece of pieces) {
        const folded = new FoldedRows(counters);
        for (const each of piece) folded.add({ ...each });
        for (const each of piece) whole.add({ ...each });
        await run(pool, upsert('g_v1', counters, folded.values()));
      }
      const read = await run(
        pool,
        sql`select place, day - date '1970-01-01' as day, count::integer, (extract(epoch from first) * 1000)::integer as first,
          (extract(epoch from newest) * 1000)::integer as newest, label from g_v1.counters`,
      );
      const sorted = (rows: readonly unknown[]) => rows.map((each) => JSON.stringify(each)).sort();
      expect(sorted(read)).toEqual(sorted(whole.values().map((each) => ordered(each))));
    });
    await fc.assert(property, { seed: 44, numRuns: 40 });
  });

  it('loses rows of which nothing is left, and rows that are taken away', async () => {
    await run(pool, sql`truncate g_v1.counters`);
    const some = { place: 'a', day: 20_000, count: 2, first: 0, newest: 0, label: '' };
    await run(pool, upsert('g_v1', counters, [some, { ...some, day: 20_001 }, { ...some, day: 20_002 }]));
    const less = [
      { ...some, count: -2 },
      { ...some, day: 20_001, count: -1 },
      { ...some, day: 20_002, count: 1 },
    ];
    await run(pool, upsert('g_v1', counters, less));
    await run(pool, deleteEmptied('g_v1', counters, less)!);
    expect(await days()).toEqual([1, 2]);
    await run(pool, deleteRows('g_v1', counters, [{ place: 'a', day: 20_002 }]));
    expect(await days()).toEqual([1]);
    expect(deleteEmptied('g_v1', counters, [some])).toBeUndefined();
  });

  it('sets columns of rows that exist, and leaves the others as they are', async () => {
    await run(pool, sql`truncate g_v1.everything`);
    await run(pool, upsert('g_v1', everything, [row, { ...row, id: 2 }]));
    const set = [1, 3].map((id) => ({ id, word: null, at: 0, json: '{}' }));
    await run(pool, updateRows('g_v1', everything, set));
    const read = await run(pool, sql`select id, word, at, json, big::float8, numbers from g_v1.everything order by id`);
    const same = { big: row.big, numbers: row.numbers };
    expect(read).toEqual([
      { id: 1, word: null, at: new Date(0), json: {}, ...same },
      { id: 2, word: row.word, at: new Date(row.at), json: { a: [1] }, ...same },
    ]);
  });

  it('keeps arrays of a row that differ in length', async () => {
    await run(pool, sql`truncate g_v1.everything`);
    const others = [
      { ...row, times: [0] },
      { ...row, id: 2, numbers: [] },
      { ...row, id: 3 },
    ];
    await run(pool, upsert('g_v1', everything, others));
    const read = await run(pool, sql`select cardinality(times) as times, numbers from g_v1.everything order by id`);
    expect(read).toEqual([
      { times: 1, numbers: row.numbers },
      { times: 2, numbers: [] },
      { times: 2, numbers: row.numbers },
    ]);
  });

  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    pool = openPool({ url: database.url, name: 'spec', max: 1 });
    await run(pool, sql`set timezone = 'UTC'`);
    await createReadModels(pool, 'g_v1', [counters, everything]);
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const days = async () =>
    (await run<{ day: number }>(pool, sql`select day - date '2024-10-04' as day from g_v1.counters order by day`)).map(
      ({ day }) => day,
    );
});

const counters = readModel(
  'counters',
  {
    place: key('text'),
    day: key('date'),
    count: sum(),
    first: min('timestamptz'),
    newest: max('timestamptz'),
    label: last('text', 'newest'),
  },
  [{ on: ['day'] }],
);

const ordered = ({ place, day, count, first, newest, label }: ReadModelRow) => ({
  place,
  day,
  count,
  first,
  newest,
  label,
});

const everything = readModel('everything', {
  id: key('integer'),
  yes: last('boolean'),
  small: last('smallint'),
  big: last('bigint'),
  ratio: last('double precision'),
  word: last('text?'),
  uuid: last('uuid?'),
  day: last('date'),
  never: last('date'),
  at: last('timestamptz?'),
  json: last('jsonb?'),
  bytes: last('bytea?'),
  times: last('timestamptz[]'),
  ids: last('uuid[]'),
  numbers: last('integer[]'),
});

const row = {
  id: 1,
  yes: true,
  small: -7,
  big: -5_000_000_000_123,
  ratio: 0.5,
  word: 'naïve 🌍',
  uuid: '00112233445566778899aabbccddeeff',
  day: Date.UTC(2026, 2, 1) / 86_400_000,
  never: -Infinity,
  at: Date.UTC(2026, 2, 1, 12, 0, 0, 123),
  json: '{"a":[1]}',
  bytes: '00ff10',
  times: [-1, Date.UTC(2026, 2, 1)],
  ids: ['00112233445566778899aabbccddeeff', 'f'.repeat(32)],
  numbers: [3, -4],
};

const nulls = {
  yes: false,
  small: 0,
  big: 0,
  ratio: 0,
  word: null,
  uuid: null,
  day: 0,
  never: 0,
  at: null,
  json: null,
  bytes: null,
  times: [],
  ids: [],
  numbers: [],
};

const narrowed = readModel('narrowed', { id: key('integer'), at: last('date'), kind: last('integer') }, [
  { on: ['at'] },
]);

const withoutComments = (statements: readonly string[]) => statements.filter((text) => !text.startsWith('comment on'));
