import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { migrate, MIGRATIONS, migrateUpTo } from '@ledgerline/platform/database/migrate';
import { identifier } from '@ledgerline/platform/database/sql';
import { copiedOf, tableNameSql, type BackupTable } from './backup-tables';
import type { CopiedTable } from './keys-file';
import { readDecisions } from './later-decisions';
import { assertWhole, readLogHeads, readManifest, type Manifest } from './manifest';
import { type Replayed, replayDecisions } from './replay-decisions';

interface RestoreOrder {
  /** The address of an empty database. */
  readonly databaseUrl: string;
  readonly folder: string;
  readonly print: (line: string) => void;
  /** Keys of personal data and salts, if there is a file of them. */
  readonly keys?: readonly CopiedTable[] | undefined;
  /** Lists, audit logs and newer backups with what was decided since; undefined = nothing is added to the backup. */
  readonly decisions?: readonly string[];
  /** Called once everything is in place, before it is committed. */
  readonly onRestored?: () => void;
}

interface Restored {
  readonly manifest: Manifest;
  readonly replayed: Replayed | undefined;
}

/**
 * Fills an empty database from a backup, in one transaction, and brings it to the schema of this version. Read models
 * are filled from the logs by the next start.
 * @throws StartFailure for files that are not those of the backup, a backup of a newer version, and a database in use
 */
export async function restoreBackup(order: RestoreOrder): Promise<Restored> {
  const { databaseUrl, folder, print, keys = [], decisions, onRestored } = order;
  const manifest = readManifest(folder);
  const names = MIGRATIONS.map(({ name }) => name);
  if (manifest.migrations.some((name) => !names.includes(name)))
    throw new StartFailure(`The backup was made by version ${manifest.version}, which is newer; restore it with that.`);
  for (const file of manifest.files) await assertWhole(folder, file);
  await migrateUpTo(databaseUrl, manifest.migrations);
  const client = new Client({ connectionString: databaseUrl, application_name: 'restore' });
  await client.connect();
  try {
    await assertUnused(client);
    await client.query('begin');
    await client.query('set local statement_timeout = 0');
    for (const table of [...manifest.files, ...keys]) await emptyTable(client, table); // of rows that migrations made
    for (const file of manifest.files) {
      const rows = await restoreTable(client, file, [createReadStream(join(folder, file.file)), createGunzip()]);
      if (rows !== file.rows) throw new StartFailure(`${file.file} has ${rows} rows; ${file.rows} were backed up.`);
      if (rows > 0) print(`${file.schema}.${file.name}: ${rows} rows`);
    }
    for (const table of keys) await restoreTable(client, table, [Readable.from([table.copied])]);
    await assertHeads(client, manifest);
    const replayed = decisions && (await replayDecisions(client, manifest.at, await readDecisions(client, decisions)));
    onRestored?.();
    await client.query('commit');
    await migrate(databaseUrl);
    return { manifest, replayed };
  } finally {
    await client.end();
  }
}

/** @throws StartFailure */
async function assertUnused(client: Client): Promise<void> {
  const { rows } = await client.query<{ used: boolean }>(
    `select exists (select from events) or exists (select from intake_segments)
      or exists (select from auth."user") as used`,
  );
  if (rows[0]?.used !== false)
    throw new StartFailure('The database is in use; a backup is restored into an empty one, or an empty DATA_DIR.');
}

async function emptyTable(client: Client, table: BackupTable): Promise<void> {
  const [day] = table.schema === 'intake_seen' ? (/^\d{4}-\d{2}-\d{2}$/.exec(table.name) ?? []) : [];
  if (day !== undefined) await client.query('select intake_add_day($1::date)', [day]);
  await client.query(`delete from ${tableNameSql(table)}`);
}

/** Answers how many rows it got. */
async function restoreTable(
  client: Client,
  table: BackupTable,
  from: readonly (NodeJS.ReadableStream | NodeJS.ReadWriteStream)[],
): Promise<number> {
  const copy = client.query(copyFrom(`copy ${copiedOf(table)} from stdin with (format binary)`));
  await pipeline([...from, copy]);
  await continueSequences(client, table);
  return copy.rowCount;
}

/** New rows get numbers above those that were restored. */
async function continueSequences(client: Client, table: BackupTable): Promise<void> {
  for (const column of table.columns) {
    const { rows } = await client.query<{ sequence: string | null }>(
      'select pg_get_serial_sequence($1, $2) as sequence',
      [tableNameSql(table), column],
    );
    const sequence = rows[0]?.sequence;
    if (sequence)
      await client.query(
        `select setval($1, coalesce(max(${identifier(column).text}), 0) + 1, false) from ${tableNameSql(table)}`,
        [sequence],
      );
  }
}

/** @throws StartFailure */
async function assertHeads(client: Client, { heads }: Manifest): Promise<void> {
  if (JSON.stringify(await readLogHeads(client)) !== JSON.stringify(heads))
    throw new StartFailure('The logs that were restored end elsewhere than those that were backed up.');
}
