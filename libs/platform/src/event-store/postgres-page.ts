import type { Pool } from 'pg';
import { decidedVersions } from '@ledgerline/contracts/events/event-versions';
import { runPrepared } from '../database/pool';
import { emptySql, sql } from '../database/sql';
import { EpochChanged, type Cursor, type LogBatch, type ReadOptions } from '../log/log-reader';
import { contentHash } from './chain-hash';
import { wantedIn } from './decided';
import { eventColumns, toRecorded, type EventRow } from './event-row';
import { storeReplaced, type RecordedEvent } from './event-store';

/** How many positions one filtered read looks at, however few match. */
const FILTERED_WINDOW = 50_000;

/** An event of a page with the head of the log; of an empty page only the head. */
type PageRow = (EventRow | { readonly position: null }) & { readonly head: string };

/**
 * The events after a position. Position order is the order of becoming visible, so everything up to the head of the same
 * snapshot is there. The events at both ends of the page come along, whatever their types: by them the log is recognised.
 */
export async function readPage(
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
  if (start > head || (digest?.startsWith(`${start}:`) && digest !== (before && digestOf(before))))
    throw storeReplaced(String(start));
  const page = stored.slice(0, max);
  const last = page.at(-1) ?? before;
  const next = page.length === max && last ? Number(last.position) : end;
  const isLast = last !== undefined && Number(last.position) === next;
  return {
    events: wantedIn(page.map(toRecorded), types),
    next: toCursor(next),
    atHead: next === head,
    digest: isLast ? digestOf(last) : undefined,
  };
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
const digestOf = (row: EventRow): string => `${row.position}:${row.id}:${contentHash(toRecorded(row))}`;

export const headLost = (): EpochChanged => new EpochChanged('The event store has lost its head row.');

export const toCursor = (position: number): Cursor => (position === 0 ? '' : String(position));
