import { createReadStream, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { errorMessage, StartFailure } from '@ledgerline/platform/config/start-failure';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { EventStore, JsonEvent, RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { eventColumns, type EventRow, rowToRecordedEvent } from '@ledgerline/platform/event-store/postgres-reads';
import { BEGINNING } from '@ledgerline/platform/log/log-reader';
import { lines } from '../audit/export-file';
import { assertWhole, readManifest } from './manifest';

/** An event that decides what is to be gone, as an export of the audit log has it. */
export type ExportedDecision = JsonEvent & Pick<RecordedEvent, 'stream' | 'revision'>;

const TYPES: readonly string[] = ['SubjectErased', 'ErasureExtended', 'HitsExpired', 'WebsiteUpdated'];

/** Writes the decisions of an installation, one a line, as an export of the audit log has them; answers how many. */
export async function writeDecisions(store: Pick<EventStore, 'read'>, file: string): Promise<number> {
  const partial = `${file}.partial`;
  const handle = await open(partial, 'w', 0o600);
  let written = 0;
  try {
    let cursor = BEGINNING;
    for (let atHead = false; !atHead;) {
      const batch = await store.read(0, cursor, { max: 1_000, types: TYPES });
      for (const { stream, revision, id, type, data, sealed, metadata } of batch.events)
        await handle.write(`${JSON.stringify({ event: { stream, revision, id, type, data, sealed, metadata } })}\n`);
      written += batch.events.length;
      ({ next: cursor, atHead } = batch);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, file);
  return written;
}

/**
 * The decisions in files of {@link writeDecisions}, exports of the audit log and folders of backups. @param client in the
 * transaction of a restore @throws StartFailure for what is none of them
 */
export async function readDecisions(client: Client, places: readonly string[]): Promise<readonly ExportedDecision[]> {
  const found: ExportedDecision[] = [];
  for (const place of places)
    found.push(...(isFolder(place) ? await readFromBackup(client, place) : await readFromFile(place)));
  return found;
}

function isFolder(place: string): boolean {
  try {
    return statSync(place).isDirectory();
  } catch (error) {
    throw new StartFailure(`${place} cannot be read (${errorMessage(error)}).`);
  }
}

async function readFromFile(file: string): Promise<readonly ExportedDecision[]> {
  const events: ExportedDecision[] = [];
  try {
    for await (const { text } of lines(file)) {
      const line = JSON.parse(text) as Readonly<Record<string, unknown>> & { readonly event?: ExportedDecision };
      if (line.event) events.push(line.event);
      else if (!('format' in line || 'contentHash' in line)) throw new Error('A line has no event.');
    }
  } catch (error) {
    throw new StartFailure(`${file} is no list of decisions, and no export of an audit log (${errorMessage(error)})`);
  }
  return events.filter(({ type }) => TYPES.includes(type));
}

async function readFromBackup(client: Client, folder: string): Promise<readonly ExportedDecision[]> {
  const files = readManifest(folder).files.filter(({ schema, name }) => schema === 'public' && name === 'events');
  await client.query('create temporary table later_events (like events) on commit drop');
  for (const file of files) {
    await assertWhole(folder, file);
    const names = file.columns.map((column) => identifier(column).text).join(', ');
    const copy = client.query(copyFrom(`copy later_events (${names}) from stdin with (format binary)`));
    await pipeline(createReadStream(join(folder, file.file)), createGunzip(), copy);
  }
  const rows = await run<EventRow>(
    client,
    sql`select ${eventColumns} from later_events where type = any(${TYPES}) order by position`,
  );
  await client.query('drop table later_events');
  return rows.map(rowToRecordedEvent);
}
