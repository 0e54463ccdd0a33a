import { setImmediate } from 'node:timers/promises';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import type { SessionColumns, SessionColumn } from './session-columns';
import type { QueryContext } from '../query-type';
import {
  readBigints,
  readIntegers,
  readTimestamps,
  readUuids,
  uuidAt,
  type Columns,
} from '@ledgerline/platform/database/binary-columns';
import { columnsSql, type Needed } from './columns-sql';
import { readSessionHits, type SessionKey } from './hits';
import { inRange } from './in-range';
import { NO_VISITS, pageVisits } from './page-visits';
import { NO_VIEWS, pathViews } from './path-views';
import { readCounts } from './session-counts';

/** More sessions than these are left to Postgres: each takes about a hundred bytes here. */
const MOST = 400_000;

/** The sessions that the context's filters on attributes select in its range; undefined if there are too many. */
export async function loadSessions(
  on: Queryable,
  context: QueryContext,
  needed: Needed,
  most = MOST,
): Promise<SessionColumns | undefined> {
  const named = [...needed.columns, ...(needed.paths ? PAGES : [])];
  const varying = [...new Set(named)].filter((name) => constantOf(context, name) === undefined);
  const [row = {}] = await run<Columns>(on, columnsSql(context, { ...needed, named: varying, limit: most + 1 }));
  const actors = readUuids(row['actor']);
  if (actors.length / 4 > most) return undefined;
  const { read, ...loaded } = columnsOf(row, { context, actors, named: varying });
  const keyOf = keysOf(row, actors, needed.hits ? undefined : read);
  const readHits = await readSessionHits(on, context, read.map(keyOf));
  await setImmediate(); // other requests go on between these loops over all sessions
  const integersIn = (name: string) => readIntegers(row[name]);
  const views = needed.paths
    ? pathViews(context, { ...loaded, read, hits: readHits, middlePaths: integersIn('middle_paths') })
    : NO_VIEWS;
  await setImmediate();
  const visits = needed.visits
    ? pageVisits(context, { hits: readHits, packed: integersIn('page_visits'), counts: integersIn('visit_counts') })
    : NO_VISITS;
  const later = (places: readonly number[]) => readSessionHits(on, context, places.map(keyOf));
  return { ...loaded, ...inRange(context, loaded, read, readHits), readHits, views, visits, loadHits: later };
}

interface Reading {
  readonly context: QueryContext;
  readonly actors: Int32Array;
  readonly named: readonly SessionColumn[];
}

/** What a session has by itself. */
function columnsOf(row: Columns, { context, actors, named }: Reading) {
  const size = actors.length / 4;
  const columns = new Map(named.map((name) => [name, readIntegers(row[name])]));
  return {
    size,
    ...readCounts(row['counts'], actors),
    column: (name: SessionColumn) => columns.get(name) ?? new Int32Array(size).fill(constantOf(context, name) ?? 0),
    firstAt: readTimestamps(row['first_at']),
    durationMs: readBigints(row['duration_ms']),
  };
}

/** The key of the session at a place; where only some of them have been sent, of these. */
function keysOf(row: Columns, actors: Int32Array, sent?: readonly number[]): (place: number) => SessionKey {
  const ids = readUuids(row['session']);
  const numbers = sent && new Map(sent.map((place, number) => [place, number]));
  return (place) => {
    return { place, actor: uuidAt(actors, place), session: uuidAt(ids, numbers ? (numbers.get(place) ?? 0) : place) };
  };
}

/** The value that all sessions have because a filter selects only this one. */
const constantOf = ({ filters }: QueryContext, name: SessionColumn): number | undefined =>
  filters
    .filter(({ field, values, negated }) => field === name && values.length === 1 && !negated)
    .flatMap(({ values }) => values)
    .find((value) => typeof value === 'number');

const PAGES = ['entry_path', 'exit_path'] as const;
