import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { errorMessage, StartFailure } from '@ledgerline/platform/config/start-failure';
import type { BackupTable } from './backup-tables';

/** A table's rows, or some of them, in a file, in the binary format of Postgres' `copy`, compressed with gzip. */
export interface BackupFile extends BackupTable {
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  /** The hash of the file, in hex. */
  readonly sha256: string;
  /** The sum of the hashes of its rows. */
  readonly hash: string;
}

/** The positions of the logs. */
export interface LogHeads {
  /** The newest position of the event store, and of each organization the head of its hash chain. */
  readonly position: number;
  readonly chains: string;
  /** The state of the intake log by partition: the next offset and the head of its hash chain. */
  readonly intake: readonly (readonly [partition: number, nextOffset: string, chain: string])[];
}

/** The description that a backup has of itself, in its `manifest.json`, which is written last. */
export interface Manifest {
  readonly format: typeof FORMAT;
  /** The version of the program. */
  readonly version: string;
  /** The migrations that the database had. */
  readonly migrations: readonly string[];
  /** The moment of the backup, ISO 8601. */
  readonly at: string;
  readonly heads: LogHeads;
  readonly files: readonly BackupFile[];
}

export const FORMAT = 1;
const NAME = 'manifest.json';
export const manifestPath = (folder: string): string => join(folder, NAME);

/** @throws StartFailure where there is no complete backup, or one of a format that this program does not know */
export function readManifest(folder: string): Manifest {
  const manifest = parse(folder);
  if (!isKnown(manifest))
    throw new StartFailure(`The backup in ${folder} has a format that this version does not know; use a newer one.`);
  return manifest;
}

type AnyManifest = Omit<Manifest, 'format'> & { readonly format: number };

const isKnown = (manifest: AnyManifest): manifest is Manifest => manifest.format === FORMAT;

function parse(folder: string): AnyManifest {
  try {
    return JSON.parse(readFileSync(manifestPath(folder), 'utf8')) as AnyManifest;
  } catch {
    throw new StartFailure(`${folder} has no complete backup: its ${NAME} cannot be read.`);
  }
}

/** @throws StartFailure for a file that is missing or was changed */
export async function assertWhole(folder: string, { file, sha256 }: BackupFile): Promise<void> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(join(folder, file)), hash);
  } catch (error) {
    throw new StartFailure(`${file} of the backup cannot be read (${errorMessage(error)}).`);
  }
  if (hash.digest('hex') !== sha256) throw new StartFailure(`${file} is not what was backed up: its SHA-256 differs.`);
}

/** Reads the heads in the transaction of the client. */
export async function readLogHeads(client: Client): Promise<LogHeads> {
  const events = await client.query<Pick<LogHeads, 'position' | 'chains'>>(
    `select position::float8, (
        select coalesce(encode(sha256(convert_to(string_agg(organization || revision || encode(hash, 'hex'), ','
          order by organization), 'UTF8')), 'hex'), '') from organization_chains) as chains
      from event_store_head`,
  );
  const intake = await client.query<{ partition: number; next: string; chain: string }>(
    `select partition, next_offset::text as next, encode(chain, 'hex') as chain from intake_heads order by partition`,
  );
  const [head] = events.rows;
  if (!head) throw new StartFailure('The database has no event store.');
  return { ...head, intake: intake.rows.map(({ partition, next, chain }) => [partition, next, chain] as const) };
}
