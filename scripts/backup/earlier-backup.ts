import { copyFileSync, linkSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { systemErrorCode } from '@ledgerline/platform/config/start-failure';
import { type BackupTable, isSegments, tableNameSql, selectedOf } from './backup-tables';
import { type BackupFile, type LogHeads, readManifest } from './manifest';

/** Some rows of a table, whatever their order. */
interface Fingerprint {
  readonly rows: number;
  /** The sum of the hashes of the rows. */
  readonly hash: string;
}

/** Returns the fingerprint of a table, or of those of its rows for which a condition holds. */
export async function fingerprintOf(client: Client, table: BackupTable, where = 'true'): Promise<Fingerprint> {
  const selected = isSegments(table) ? await withoutPayloads(client, table) : selectedOf(table);
  const { rows } = await client.query<Fingerprint>(
    `select count(*)::float8 as rows, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as hash
      from (${selected} where ${where}) t`,
  );
  return rows[0] ?? { rows: 0, hash: '0' };
}

/** Payloads are most of what there is, and a segment has their hash; the number of rewrites tells which one it is of. */
async function withoutPayloads(client: Client, table: BackupTable): Promise<string> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('intake_rewrites') is not null as "isThere"`,
  );
  const columns = table.columns.filter((column) => column !== 'payload');
  const rewrites =
    'select max(number) from intake_rewrites where segment_partition = partition and segment_offset = first_offset';
  return selectedOf({ ...table, columns }, rows[0]?.isThere ? `(${rewrites}) as rewrites` : undefined);
}

/** The files of a table that a further backup has from an earlier one. */
interface Kept {
  readonly files: readonly BackupFile[];
  /** The condition of rows that are not in them; undefined = none. */
  readonly rest: string | undefined;
}

/** A backup of before: tables that are as they were are linked, and of the logs only what is new is written. */
export class EarlierBackup {
  private constructor(
    private readonly folder: string,
    private readonly files: readonly BackupFile[],
    private readonly heads: LogHeads,
  ) {}

  /** @throws StartFailure where there is no complete one */
  static open(folder: string): EarlierBackup {
    const { files, heads } = readManifest(folder);
    return new EarlierBackup(folder, files, heads);
  }

  /** Undefined where the rows are not what they were then: then the table is written anew. */
  async find(client: Client, table: BackupTable): Promise<Kept | undefined> {
    const files = this.files.filter((file) => tableNameSql(file) === tableNameSql(table));
    if (files.some(({ columns }) => columns.join() !== table.columns.join())) return undefined;
    const earlier = earlierRows(table, this.heads);
    const now = await fingerprintOf(client, table, earlier);
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    const hash = files.reduce((sum, file) => sum + BigInt(file.hash), 0n);
    if (files.length === 0 || now.rows !== rows || now.hash !== String(hash)) return undefined;
    return { files, rest: earlier && `not (${earlier})` };
  }

  /** Links the file into another folder; it is a copy where that is on another disk. */
  link({ file }: BackupFile, folder: string): void {
    try {
      linkSync(join(this.folder, file), join(folder, file));
    } catch (error) {
      if (!['EXDEV', 'EPERM', 'ENOTSUP'].includes(systemErrorCode(error) ?? '')) throw error;
      copyFileSync(join(this.folder, file), join(folder, file));
    }
  }
}

/** The rows that a log had up to there; undefined for a table that is no log. */
function earlierRows(table: BackupTable, { position, intake }: LogHeads): string | undefined {
  const { schema, name } = table;
  if (schema === 'public' && name === 'events') return `position <= ${BigInt(position)}`;
  if (!isSegments(table)) return undefined;
  const ofPartitions = intake.map(
    ([partition, next]) => `(partition = ${BigInt(partition)} and first_offset < ${BigInt(next)})`,
  );
  return ofPartitions.join(' or ') || 'false';
}
