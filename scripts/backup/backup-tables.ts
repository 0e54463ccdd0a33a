import type { Client } from 'pg';
import { identifier } from '@ledgerline/platform/database/sql';

/** A table as a backup has it. */
export interface BackupTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}

/** Tables that every read store has; they are filled from the logs again. */
export const READ_STORE_TABLES: readonly string[] = [
  'dictionary',
  'projection_groups',
  'projection_checkpoints',
  'parked_events',
  'reconciliations',
  'reconciliation_findings',
  'reconciled_days',
  'erased_hits',
  'erased_visits',
  'erasure_rules',
  'erasure_findings',
  'expirations',
  'expired_rollups',
  'file_rewrites',
];

/** Tables that belong to running processes, and sign-ins: people and agents sign in again after a restore. */
const OF_PROCESSES: readonly string[] = [
  'migrations',
  'processes',
  'key_leases',
  'backups',
  'request_counts',
  'session',
  'verification',
  'oauthAccessToken',
  'oauthRefreshToken',
];

/** Keys of personal data and salts of visitor ids: without them a backup has no names, and erasures reach it. */
export const KEY_TABLES: readonly string[] = ['subject_keys', 'profile_keys', 'salts', 'import_secrets'];

/** The tables of the logs, accounts and settings, each after those that it references. */
export async function readBackupTables(client: Client): Promise<readonly BackupTable[]> {
  const { rows } = await client.query<BackupTable & { readonly after: readonly string[] }>(
    `select n.nspname as schema, c.relname as name,
        (select array_agg(a.attname order by a.attnum) from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '')::text[] as columns,
        (select coalesce(array_agg(f.relname), '{}') from pg_constraint k join pg_class f on f.oid = k.confrelid
          where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid)::text[] as after
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname in ('public', 'auth', 'intake_seen')
      order by 1, 2`,
  );
  const left = rows.filter(({ name }) => !READ_STORE_TABLES.includes(name) && !OF_PROCESSES.includes(name));
  const sorted: BackupTable[] = [];
  while (left.length > 0) {
    const at = left.findIndex(({ after }) => !left.some(({ name }) => after.includes(name)));
    const [{ after: _, ...table }] = left.splice(Math.max(at, 0), 1) as [(typeof left)[0]];
    sorted.push(table);
  }
  return sorted;
}

/** For SQL. */
export const tableNameSql = ({ schema, name }: BackupTable): string => identifier(schema, name).text;

/** All rows with these columns, and perhaps one that is computed, for SQL. */
export const selectedOf = (table: BackupTable, computed?: string): string => {
  const columns = table.columns.map((column) => identifier(column).text);
  return `select ${[...columns, ...(computed === undefined ? [] : [computed])].join(', ')} from ${tableNameSql(table)}`;
};

/** Returns whether it is the table of segments, with payloads that are compressed already. */
export const isSegments = ({ schema, name }: BackupTable): boolean => schema === 'public' && name === 'intake_segments';

/** The table with its columns, for SQL. */
export const copiedOf = (table: BackupTable): string =>
  `${tableNameSql(table)} (${table.columns.map((column) => identifier(column).text).join(', ')})`;
