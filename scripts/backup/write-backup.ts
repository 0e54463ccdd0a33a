import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { VERSION } from '@ledgerline/contracts/version';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { isSegments, KEY_TABLES, readBackupTables, selectedOf, type BackupTable } from './backup-tables';
import { EarlierBackup, fingerprintOf } from './earlier-backup';
import type { CopiedTable } from './keys-file';
import { FORMAT, manifestPath, readLogHeads, type BackupFile, type Manifest } from './manifest';

interface BackupOrder {
  readonly databaseUrl: string;
  /** It must not exist, or be empty. */
  readonly folder: string;
  readonly print: (line: string) => void;
  /** A backup of before, whose files are linked where they are what would be written. */
  readonly since?: string | undefined;
  /** Gets the keys of the same moment, before the backup is complete. */
  readonly onKeys?: (tables: readonly CopiedTable[]) => void;
}

/**
 * Writes what cannot be computed again, of one moment, while the product goes on: both logs, accounts and all that is
 * signed. Read models are not in it, nor are keys of personal data and salts.
 * @throws StartFailure where the folder is in use
 */
export async function writeBackup({ databaseUrl, folder, print, since, onKeys }: BackupOrder): Promise<Manifest> {
  const target = resolve(folder);
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new StartFailure(`${folder} is not empty; name a folder for this backup alone.`);
  const earlier = since === undefined ? undefined : EarlierBackup.open(since);
  const partial = `${target}.partial`;
  const client = new Client({ connectionString: databaseUrl, application_name: 'backup' });
  await client.connect();
  try {
    rmSync(partial, { recursive: true, force: true }); // of one that was killed
    mkdirSync(partial, { recursive: true, mode: 0o700 });
    await client.query('begin isolation level repeatable read read only');
    await client.query(`set local statement_timeout = 0; set local timezone = 'UTC'`);
    const manifest = await describe(client);
    const tables = await readBackupTables(client);
    const isOfKeys = ({ name }: BackupTable) => KEY_TABLES.includes(name);
    const files: BackupFile[] = [];
    for (const table of tables.filter((each) => !isOfKeys(each)))
      files.push(...(await writeChanged(client, table, { folder: partial, earlier, print })));
    if (onKeys) onKeys(await copyTables(client, tables.filter(isOfKeys)));
    await client.query('commit');
    const whole: Manifest = { ...manifest, files };
    writeFileSync(manifestPath(partial), JSON.stringify(whole, undefined, 2), { mode: 0o600, flush: true });
    renameSync(partial, target); // which is empty, or not there
    return whole;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  } finally {
    await client.end();
  }
}

/** Links the files of the earlier backup that hold rows of a table as they are, and writes the rest. */
async function writeChanged(
  client: Client,
  table: BackupTable,
  { folder, earlier, print }: Pick<BackupOrder, 'folder' | 'print'> & { readonly earlier: EarlierBackup | undefined },
): Promise<readonly BackupFile[]> {
  const kept = await earlier?.find(client, table);
  const linked = kept?.files ?? [];
  for (const file of linked) earlier?.link(file, folder);
  if (kept && kept.rest === undefined) return linked;
  const file = await writeTable(client, table, folder, { where: kept?.rest, nth: linked.length });
  if (file.rows > 0) print(`${table.schema}.${table.name}: ${file.rows} rows, ${megabytes(file.bytes)}`);
  return [...linked, file];
}

async function copyTables(client: Client, tables: readonly BackupTable[]): Promise<readonly CopiedTable[]> {
  const copies: CopiedTable[] = [];
  for (const table of tables) copies.push({ ...table, copied: await buffer(client.query(copyTo(copyOut(table)))) });
  return copies;
}

const copyOut = (table: BackupTable, where = 'true'): string =>
  `copy (${selectedOf(table)} where ${where}) to stdout with (format binary)`;

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

async function describe(client: Client): Promise<Omit<Manifest, 'files'>> {
  const { rows } = await client.query<{ name: string; at: Date }>(
    'select name, now() as at from migrations order by id',
  );
  const [first] = rows;
  if (!first) throw new StartFailure('The database has no tables of Ledgerline.');
  return {
    format: FORMAT,
    version: VERSION,
    migrations: rows.map(({ name }) => name),
    at: first.at.toISOString(),
    heads: await readLogHeads(client),
  };
}

/** Postgres does something else meanwhile: it reads no faster than that. */
const BYTES_PER_MS = 80_000;
const LEAST_PAUSE_MS = 5;

/** The rows for which a condition holds; `nth` file of the table. */
async function writeTable(
  client: Client,
  table: BackupTable,
  folder: string,
  { where = 'true', nth }: { readonly where?: string | undefined; readonly nth: number },
): Promise<BackupFile> {
  const file = `${table.schema}.${table.name}${nth === 0 ? '' : `.${nth}`}.copy.gz`;
  const copy = client.query(copyTo(copyOut(table, where)));
  const hash = createHash('sha256');
  let bytes = 0;
  const begunAt = performance.now();
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      const aheadMs = bytes / BYTES_PER_MS - (performance.now() - begunAt);
      if (aheadMs < LEAST_PAUSE_MS) done(null, chunk);
      else setTimeout(() => done(null, chunk), aheadMs);
    },
  });
  const level = isSegments(table) ? constants.Z_NO_COMPRESSION : constants.Z_BEST_SPEED;
  const gzip = createGzip({ level, chunkSize: 256 * 1024 });
  await pipeline(copy, gzip, measure, createWriteStream(join(folder, file), { mode: 0o600, flush: true }));
  const { hash: ofRows } = await fingerprintOf(client, table, where);
  return { ...table, file, rows: copy.rowCount, bytes, sha256: hash.digest('hex'), hash: ofRows };
}
