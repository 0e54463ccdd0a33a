import type { Pool } from 'pg';
import { decidedVersions } from '@ledgerline/contracts/events/event-versions';
import type { JsonObject } from '@ledgerline/contracts/json';
import { runPrepared, run, type Queryable } from '../database/pool';
import { emptySql, sql } from '../database/sql';
import { checkpointMoved, EpochChanged, type Cursor, type LogBatch, type ReadOptions } from '../log/log-reader';
import { contentHash, isConsistent, type SealedLink } from './appended-events';
import {
  type EventMetadata,
  type Hash,
  type HistoryEntry,
  type RecordedEvent,
  type StreamName,
  storeReplaced,
  wantedIn,
} from './event-store';

/** The number of positions one filtered read looks at, however few match. */
const FILTERED_WINDOW = 50_000;

/** An event of a page with the head of the log; of an empty page only the head. */
type PageRow = (EventRow | { readonly position: null }) & { readonly head: string };

/**
 * The events after a position. Position order is the order of becoming visible, so everything up to the head of the same
 * snapshot is there. The events at both ends of the page come along, whatever their types: by them the log is recognised.
 */
export async function readEventsAfter(
  pool: Pool,
  start: number,
  { max, types, digest }: ReadOptions,
): Promise<LogBatch<RecordedEvent>> {
  const rows = await selectPage(pool, start, { max, types });
  if (rows[0] === undefined) throw headLost();
  const head = Number(rows[0].head);
  const end = Math.min(head, start + windowOf({ max, types }));
  const stored = rows.filter((row): row is EventRow & PageRow => row.position !== null);
  const before = stored[0] && Number(stored[0].position) === start ? stored.shift() : undefined;
  assertSameStore({ start, head, digest }, before);
  const page = stored.slice(0, max);
  const last = page.at(-1) ?? before;
  const next = page.length === max && last ? Number(last.position) : end;
  const isLast = last !== undefined && Number(last.position) === next;
  return {
    events: wantedIn(page.map(rowToRecordedEvent), types),
    next: postgresCursor(next),
    atHead: next === head,
    digest: isLast ? digestOf(last) : undefined,
  };
}

/** Refuses to go on after a checkpoint in a store that does not hold its event. */
function assertSameStore(
  { start, head, digest }: { readonly start: number; readonly head: number; readonly digest: string | undefined },
  before: EventRow | undefined,
): void {
  if (digest !== undefined && !digest.startsWith(`${start}:`)) throw checkpointMoved(postgresCursor(start), digest);
  const isKnown = digest === undefined || digest === (before && digestOf(before));
  if (start > head || !isKnown) throw storeReplaced(String(start));
}

const windowOf = ({ max, types }: Pick<ReadOptions, 'max' | 'types'>): number =>
  types ? Math.max(max, FILTERED_WINDOW) : max;

function selectPage(pool: Pool, start: number, { max, types }: Pick<ReadOptions, 'max' | 'types'>): Promise<PageRow[]> {
  const end = sql`least(head.position, ${start}::int8 + ${windowOf({ max, types })})`;
  const known = decidedVersions.types;
  const wanted = types
    ? sql`and (type = any(${[...types]}) or type <> all(${[...known]}) or position in (${start}, ${end}))`
    : emptySql;
  return runPrepared<PageRow>(
    pool,
    types ? 'events of types' : 'events',
    sql`select head.position as head, event.* from event_store_head head left join lateral (
          select ${eventColumns} from events
          where position >= ${start} and position <= ${end} ${wanted}
          order by position limit ${max + (start > 0 ? 1 : 0)}
        ) event on true order by event.position`,
  );
}

/** Not the hash in the chain, which changes where a history is chained again. */
const digestOf = (row: EventRow): string => `${row.position}:${row.id}:${contentHash(rowToRecordedEvent(row))}`;

export const headLost = (): EpochChanged => new EpochChanged('The event store has lost its head row.');

export const postgresCursor = (position: number): Cursor => (position === 0 ? '' : String(position));

interface Page {
  readonly organization: string;
  /** Only events before this position; undefined = from the newest. */
  readonly end: number | undefined;
  readonly limit: number;
}

/** The head of the chain, in the same snapshot. */
type Row = ChainedEventRow & { readonly head: Hash; readonly head_revision: string };

/** One page of an organization's history, newest first; the events above and below it are read to judge those at its ends. */
export async function readPostgresHistory(
  database: Queryable,
  { organization, end, limit }: Page,
): Promise<HistoryEntry[]> {
  const own = sql`organization = ${organization}`;
  const above = sql`select min(position) from events where ${own} and position >= ${end ?? null}`;
  const older = end === undefined ? emptySql : sql`and position <= coalesce((${above}), ${end})`;
  const rows = await run<Row>(
    database,
    sql`select ${historyColumns}, head.*
        from events left join (select encode(hash, 'hex') as head, revision as head_revision
                               from organization_chains where ${own}) head on true
        where ${own} ${older} order by position desc limit ${limit + 2}`,
  );
  const entries = rows.map(toHistoryEntry);
  const judged = entries.map((entry, n): HistoryEntry => {
    const above = entries[n - 1];
    const below = entries[n + 1];
    const isFollowed = isFollowedBy(entry, above, rows[n]?.head);
    return isFollowed && isInPlace(entry, above?.chain.revision ?? Number(rows[n]?.head_revision) + 1, below)
      ? entry
      : { ...entry, doubt: 'replaced' };
  });
  return judged.filter(({ cursor }) => end === undefined || Number(cursor) < end).slice(0, limit);
}

/** An event above that is itself not what its hash says proves nothing of this one. */
const isFollowedBy = ({ chain }: SealedLink, above: SealedLink | undefined, head: Hash | undefined): boolean =>
  above === undefined ? chain.hash === head : chain.hash === above.chain.previousHash || !isConsistent(above);

/** Hashes do not cover the place. One that follows on either neighbour has its own; where both differ, this event was moved. */
const isInPlace = ({ chain }: SealedLink, above: number, below: SealedLink | undefined): boolean =>
  chain.revision === above - 1 || chain.revision === (below?.chain.revision ?? -1) + 1;

/** A row of `events` as `eventColumns` selects it. */
export interface EventRow {
  readonly position: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly sealed: string | null;
  readonly metadata: EventMetadata;
  readonly recorded_at: Date;
}

export const eventColumns = sql`position, stream, revision, id, type, data, sealed, metadata, recorded_at`;

export const rowToRecordedEvent = ({
  stream,
  revision,
  id,
  type,
  data,
  metadata,
  ...row
}: EventRow): RecordedEvent => ({
  stream,
  revision,
  id,
  type,
  data,
  metadata,
  ...(row.sealed === null ? {} : { sealed: row.sealed }),
  cursor: row.position,
  recordedAt: row.recorded_at,
});

/** An {@link EventRow} with its place in the chain, as `historyColumns` selects it. */
export interface ChainedEventRow extends EventRow {
  readonly chain_revision: string;
  readonly hash: Hash;
  readonly previous_hash: Hash;
}

export const historyColumns = sql`${eventColumns}, chain_revision,
  encode(hash, 'hex') as hash, encode(previous_hash, 'hex') as previous_hash`;

export const toHistoryEntry = ({ chain_revision, hash, previous_hash, ...row }: ChainedEventRow) => ({
  ...rowToRecordedEvent(row),
  chain: { revision: Number(chain_revision), hash, previousHash: previous_hash },
});
