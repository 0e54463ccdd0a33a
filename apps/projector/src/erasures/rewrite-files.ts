import type { Pool } from 'pg';
import { FILES_MS } from '@ledgerline/platform/database/file-rewrites';
import { run } from '@ledgerline/platform/database/pool';
import { execute } from '@ledgerline/platform/database/read-model-tables';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { openLongRunningPool } from '../open-pool';
import { rewriteTable, type TableName } from './rewrite-table';

/** The tables beside read models that have texts or keys of people, and rows that go. */
const TABLES = [
  ...['dictionary', 'parked_events', 'reconciliation_findings', 'intake_segments', 'deliveries', 'salts'],
  ...['profile_keys', 'subject_keys', 'invitation_addresses'],
];

/** Half of the time is left for rewriting. */
const DUE_MS = FILES_MS / 2;

/**
 * Rewrites the tables of a database from which something was erased a while ago, so that its files have nothing of that any
 * more; then the receipts of these erasures say so. After a failure the tables that are left are rewritten. Answers how
 * many that were: none where nothing is due, or another process is at it.
 */
export async function rewriteFiles(pool: Pool, now: number, signal: AbortSignal): Promise<number> {
  const claiming = openLongRunningPool(pool);
  const working = openLongRunningPool(pool);
  const claim = await claiming.connect();
  try {
    const lock = sql`select pg_try_advisory_lock(hashtext('ledgerline rewrite files')) as mine`;
    const [claimed] = await run<{ mine: boolean }>(claim, lock);
    if (!claimed?.mine) return 0;
    const due = sql`${new Date(now - DUE_MS).toISOString()}::timestamptz`;
    await run(
      working,
      sql`update file_rewrites set begun_at = clock_timestamp(), due_since = null
          where begun_at is null and due_since <= ${due}`,
    );
    const [begun] = await run<{ rewritten: readonly string[] }>(
      working,
      sql`select rewritten from file_rewrites where begun_at is not null`,
    );
    if (!begun) return 0;
    const tables = (await readTables(working)).filter((table) => !begun.rewritten.includes(nameOf(table)));
    const used = tables.find(({ isInView }) => isInView);
    if (used) throw new RangeError(`A view reads ${used.schema}.${used.name}, which cannot be rewritten beside it.`);
    for (const { isReferring, isInView: _, ...table } of tables) {
      await (isReferring ? rewriteInPlace(working, table) : rewriteTable(working, table, signal));
      await run(working, sql`update file_rewrites set rewritten = rewritten || ${nameOf(table)}::text`);
    }
    await rewriteInPlace(working, { schema: 'pg_catalog', name: 'pg_statistic' }); // samples of columns of before
    await run(working, sql`update file_rewrites set covered_until = begun_at, begun_at = null, rewritten = '{}'`);
    return tables.length;
  } finally {
    claim.release(true); // with its lock
    await Promise.all([claiming.end(), working.end()]);
  }
}

const nameOf = ({ schema, name }: TableName): string => `${schema}.${name}`;

/** Those of read models that are being filled have no primary key. */
const readTables = (pool: Pool) =>
  run<TableName & { readonly isReferring: boolean; readonly isInView: boolean }>(
    pool,
    sql`select n.nspname as schema, c.relname as name, exists (
          select from pg_constraint where contype = 'f' and (conrelid = c.oid or confrelid = c.oid)) as "isReferring", exists (
          select from pg_depend where refobjid = c.oid and classid = 'pg_rewrite'::regclass) as "isInView"
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'r' and exists (select from pg_index where indrelid = c.oid and indisprimary)
          and (n.nspname ~ '^(websites|links)_v[0-9]+$' or n.nspname = 'auth'
            or (n.nspname = 'public' and c.relname = any(${TABLES})))
        order by 3 desc, 1, 2`,
  );

/** Small tables that others refer to, behind a lock that ends after a second, whether or not it is done. */
async function rewriteInPlace(pool: Pool, { schema, name }: TableName): Promise<void> {
  const client = await pool.connect();
  try {
    await execute(client, [`set statement_timeout = '1s'`, `vacuum full ${identifier(schema, name).text}`]);
  } finally {
    client.release(true);
  }
}
