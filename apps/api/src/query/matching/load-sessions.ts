import { run, type Queryable } from '@ledgerline/platform/database/pool';
import type { MatchingSessions, SessionColumn } from '../matching-sessions';
import type { QueryContext } from '../query-type';
import { readBigints, readIntegers, readTimestamps, readUuids, uuidAt, type Columns } from './binary-columns';
import { columnsSql, HAS_VISITOR, IS_READ, type Needed } from './columns-sql';
import { hitsOf } from './hits';
import { inRange } from './in-range';
import { NO_VISITS, pageVisits } from './page-visits';
import { NO_VIEWS, pathViews } from './path-views';
import { UuidNumbers } from './uuid-numbers';

/** More sessions than these are left to Postgres: each takes about a hundred bytes here. */
const MOST = 400_000;

/** The sessions that the context's filters on attributes select in its range; undefined if there are too many. */
export async function loadSessions(
  on: Queryable,
  context: QueryContext,
  needed: Needed,
  most = MOST,
): Promise<MatchingSessions | undefined> {
  const named = [...new Set([...needed.columns, ...(needed.paths ? PAGES : [])])];
  const [row = {}] = await run<Columns>(on, columnsSql(context, { ...needed, named, limit: most + 1 }));
  const actors = readUuids(row['actor']);
  const size = actors.length / 4;
  if (size > most) return undefined;
  const numbers = new UuidNumbers(size);
  const flags = readIntegers(row['flags']);
  const byName = new Map(named.map((name) => [name, readIntegers(row[name])]));
  const ids = readUuids(row['session']);
  const keyOf = (place: number) => ({ place, actor: uuidAt(actors, place), session: uuidAt(ids, place) });
  const loaded = {
    size,
    visitors: flags.map((flag, place) => ((flag & HAS_VISITOR) === 0 ? -1 : numbers.numberOf(actors, place))),
    visitorCount: numbers.size,
    pageviews: readIntegers(row['pageviews']),
    column: (name: SessionColumn) => byName.get(name) ?? new Int32Array(size),
    firstAt: readTimestamps(row['first_at']),
    durationMs: readBigints(row['duration_ms']),
    hitsOf: (places: readonly number[]) => hitsOf(on, context, places.map(keyOf)),
  };
  const read = [...flags.keys()].filter((place) => ((flags[place] ?? 0) & IS_READ) !== 0);
  const hits = await loaded.hitsOf(read);
  return {
    ...loaded,
    readHits: hits,
    ...inRange(context, loaded, read, hits),
    views: needed.paths
      ? pathViews(context, { ...loaded, read, hits, middlePaths: readIntegers(row['middle_paths']) })
      : NO_VIEWS,
    visits: needed.visits
      ? pageVisits(context, {
          ...loaded,
          hits,
          packed: readIntegers(row['page_visits']),
          counts: readIntegers(row['visit_counts']),
        })
      : NO_VISITS,
  };
}

const PAGES = ['entry_path', 'exit_path'] as const;
