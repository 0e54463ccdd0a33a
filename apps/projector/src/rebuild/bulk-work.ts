import type { Pool } from 'pg';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { execute, primaryKeyDdl, readStoredTables } from '@ledgerline/platform/database/read-model-tables';
import { identifier } from '@ledgerline/platform/database/sql';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { LogReader } from '@ledgerline/platform/log/log-reader';
import { openLongRunningPool } from '../open-pool';
import { EVENT_FACTS } from '../projections/websites/read-hit';
import type { WebsitesGroup } from '../projections/websites/websites-group';
import type { BoundGroup } from '../runner/bound-group';
import { noteFilled } from '../runner/checkpoint';
import type { OnProgress } from './catch-up';

/** The resources of a thread that fills tables of websites. */
export interface BulkWork {
  readonly log: Pick<LogReader<LoggedHit>, 'read' | 'compare'>;
  /** The pool of the read store. */
  readonly pool: Pool;
  /** A pool of it without pipelining, for `copy`. */
  readonly copying: Pool;
  readonly group: WebsitesGroup;
}

/** An event that cannot be projected ends it all; the message names the event and says why. */
export class EventRefused extends Error {
  constructor({ id, type, subject }: { id: string; type: string; subject: string }, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`The event ${id} (${type}) of ${subject} cannot be projected: ${why}`, { cause });
    this.name = 'EventRefused';
  }
}

/** The id of an event by the 32 hex digits of its hit. */
export const hitEventId = ({ id }: { readonly id: string }): string => encodeEventId(Buffer.from(id, 'hex'));

/** A version of websites whose tables are filled at once. */
export interface FilledVersion {
  readonly group: BoundGroup;
  readonly version: number;
  readonly onProgress?: OnProgress | undefined;
}

/** Tables without a primary key meanwhile: each row is added once. */
const COPIED = [sessions, ...EVENT_FACTS.map(({ builds }) => builds), websiteRollups];
const NOTED_EVERY_MS = 1_000;

/** The tables that a version has, and those of them without a primary key meanwhile. */
async function tablesOf({ group, version }: FilledVersion) {
  const stored = (await readStoredTables(group.pool, group.name)).filter((table) => table.version === version);
  return { stored, copied: COPIED.filter(({ name }) => stored.some((table) => table.name === name)) };
}

/** Empties the tables, and takes the primary keys away, which an interrupted fill has done before. */
export async function emptyTables(filled: FilledVersion): Promise<void> {
  const { group, version } = filled;
  const schema = schemaOf(group.name, version);
  const { stored, copied } = await tablesOf(filled);
  await execute(group.pool, [
    `truncate ${stored.map(({ name }) => identifier(schema, name).text).join(', ')}`,
    ...copied.map((model) => primaryKeyDdl(schema, model).drop),
  ]);
}

export async function addPrimaryKeys(filled: FilledVersion): Promise<void> {
  const { group, version, onProgress } = filled;
  onProgress?.({ stage: 'indexing', done: 0, total: 0 });
  const { copied } = await tablesOf(filled);
  const connection = openLongRunningPool(group.pool);
  try {
    await execute(
      connection,
      copied.map((model) => primaryKeyDdl(schemaOf(group.name, version), model).add),
    );
  } finally {
    await connection.end();
  }
}

/**
 * Reports progress, and notes in a checkpoint how much is filled, for those who wait for the tables; `noted` waits for
 * the last note.
 */
export function notingProgress({ group: { pool, name: group }, version, onProgress: report }: FilledVersion) {
  let nextAt = performance.now();
  let last = Promise.resolve();
  const onProgress: OnProgress = (progress) => {
    report?.(progress);
    const { stage, done, total } = progress;
    if (performance.now() < nextAt || (stage !== 'reading' && stage !== 'writing')) return;
    nextAt = performance.now() + NOTED_EVERY_MS;
    const events = Math.floor((stage === 'reading' ? done : total + done) / 2);
    const note = () => noteFilled(pool, { group, version }, events).catch(() => undefined); // the work itself fails where the store is away
    last = last.then(note);
  };
  return { onProgress, noted: () => last };
}
