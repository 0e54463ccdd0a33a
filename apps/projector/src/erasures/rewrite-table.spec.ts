import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openProjectionPool } from '../open-pool';
import { rewriteTable } from './rewrite-table';

const TABLE = { schema: 'public', name: 'things' };
const ROWS = 5_000;

describe('a table that is rewritten', () => {
  it('has what is written meanwhile, and is not what a transaction sees empty that began before', async () => {
    const reader = await pool.connect();
    await reader.query('begin isolation level repeatable read');
    await reader.query('select 1');
    const before = await fileOf();
    const rewriting = rewriteTable(pool, TABLE, signal());
    const expected = await changeMuch();
    const seen = await reader.query<{ things: number }>('select count(*)::integer as things from things');
    expect(seen.rows).toEqual([{ things: ROWS }]);
    await reader.query('commit');
    reader.release();
    await rewriting;
    expect(await fileOf()).not.toBe(before);
    expect(await stored()).toEqual(expected);
    const [next] = await run<{ id: number }>(pool, sql`insert into things (name) values ('next') returning id`);
    expect(next?.id).toBe(Math.max(...expected.keys()) + 1);
    await expect(run(pool, sql`insert into things (name) values ('next')`)).rejects.toThrow('things_name_key');
    const left = sql`select from pg_trigger where not tgisinternal union all select from pg_namespace where nspname = 'rewriting'`;
    expect(await run(pool, left)).toEqual([]);
  });

  it('stays as it is where that is interrupted, and can be rewritten again', async () => {
    const stopping = new AbortController();
    const end = await beginSnapshot();
    const rewriting = rewriteTable(pool, TABLE, stopping.signal);
    const interrupted = expect(rewriting).rejects.toThrow('aborted');
    await hasTrigger();
    stopping.abort();
    await interrupted;
    await end();
    const before = await fileOf();
    await run(pool, sql`update things set name = 'other' where id = 1`);
    const expected = await stored();
    await rewriteTable(pool, TABLE, signal());
    expect(await stored()).toEqual(expected);
    expect(await fileOf()).not.toBe(before);
  });

  it('stays as it is where it gets another column', async () => {
    const end = await beginSnapshot();
    const rewriting = expect(rewriteTable(pool, TABLE, signal())).rejects.toThrow('was redefined');
    await hasTrigger();
    await run(pool, sql`alter table things add column colour text`);
    await run(pool, sql`insert into things (name, colour) values ('red', 'red')`);
    await end();
    await rewriting;
    expect(await run(pool, sql`select colour from things where name = 'red'`)).toEqual([{ colour: 'red' }]);
  });

  let database: TestDatabase;
  let pool: Pool;

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
    pool = openProjectionPool(database.url, { max: 6 });
    await run(pool, sql`create table things (id integer generated always as identity primary key, name text unique)`);
    await run(pool, sql`insert into things (name) select nth::text from generate_series(1, ${ROWS}) nth`);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  /** While it goes on, tables are not exchanged. */
  async function beginSnapshot(): Promise<() => Promise<void>> {
    const reader = await pool.connect();
    await reader.query('begin isolation level repeatable read');
    await reader.query('select 1');
    return async () => {
      await reader.query('commit');
      reader.release();
    };
  }

  const signal = () => new AbortController().signal;

  async function stored(): Promise<ReadonlyMap<number, string>> {
    const rows = await run<{ id: number; name: string }>(pool, sql`select id, name from things order by id`);
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  async function fileOf(): Promise<unknown> {
    const [row] = await run<{ file: string }>(pool, sql`select pg_relation_filepath('things') as file`);
    return row?.file;
  }

  async function hasTrigger(): Promise<void> {
    const found = sql`select from pg_trigger where tgname = 'rewriting'`;
    while ((await run(pool, found)).length === 0) await setTimeout(5);
  }

  /** Changes, deletes and adds rows while the table is rewritten, also in transactions that fail; answers what is left. */
  async function changeMuch(): Promise<ReadonlyMap<number, string>> {
    const rows = new Map(await stored());
    await hasTrigger();
    for (let nth = 1; nth <= 300; nth++) {
      const changed = nth * 7;
      const deleted = changed + 1;
      await run(pool, sql`update things set name = ${`changed ${nth}`} where id = ${changed}`);
      rows.set(changed, `changed ${nth}`);
      await run(pool, sql`delete from things where id = ${deleted}`);
      rows.delete(deleted);
      const [added] = await run<{ id: number }>(
        pool,
        sql`insert into things (name) values (${`added ${nth}`}) returning id`,
      );
      rows.set(added!.id, `added ${nth}`);
      const failing = transaction(pool, async (client) => {
        await run(client, sql`delete from things where id = ${nth * 7 + 2}`);
        throw new Error('rolled back');
      });
      await expect(failing).rejects.toThrow('rolled back');
    }
    return rows;
  }
});
