import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { MatchingSessions, SessionColumn } from '../matching-sessions';
import type { QueryContext } from '../query-type';
import { sessionsIn, wholly } from '../sql/sessions';
import {
  bigints,
  integers,
  readBigints,
  readIntegers,
  readTimestamps,
  readUuids,
  timestamps,
  uuidAt,
  uuids,
  type Columns,
} from './binary-columns';
import { hitsOf } from './hits';
import { inRange } from './in-range';
import { loadPathViews } from './path-views';
import { UuidNumbers } from './uuid-numbers';

/** What types need of the sessions beside what all of them do. */
export interface Needed {
  readonly columns: ReadonlySet<SessionColumn>;
  readonly times: boolean;
  readonly paths: boolean;
}

/** More sessions than these are left to Postgres: each takes about a hundred bytes here. */
const MOST = 400_000;

/** The sessions that the context's filters on attributes select in its range; undefined if there are too many. */
export async function loadSessions(
  on: Queryable,
  context: QueryContext,
  { columns, times, paths }: Needed,
  most = MOST,
): Promise<MatchingSessions | undefined> {
  const named = [...new Set([...columns, ...(paths ? PAGES : [])])];
  const [row = {}] = await run<Columns>(on, columnsSql(context, { named, times, limit: most + 1 }));
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
  const across = [...flags.keys()].filter((place) => ((flags[place] ?? 0) & IS_ACROSS) !== 0);
  const known = { ...loaded, ...(await inRange(context, loaded, across)) };
  return { ...known, views: paths ? await loadPathViews(on, context, known, { numbers, across }) : NO_VIEWS };
}

const PAGES = ['entry_path', 'exit_path'] as const;
const NO_VIEWS = { paths: new Int32Array(), visitors: new Int32Array() };
const [HAS_VISITOR, IS_ACROSS] = [1, 2];

interface Wanted {
  readonly named: readonly SessionColumn[];
  readonly times: boolean;
  readonly limit: number;
}

/** TRICKY: the inner query names the columns, which the covering index has, so that Postgres does not read the table. */
function columnsSql(context: QueryContext, { named, times, limit }: Wanted): Sql {
  const flags = sql`(s.visitor is not null)::int + case when ${wholly(context)} then 0 else ${IS_ACROSS}::int end`;
  const columns: readonly (readonly [string, Sql])[] = [
    ['actor', uuids(sql`coalesce(s.visitor, s.session)`)],
    ['session', uuids(sql`s.session`)],
    ['flags', integers(flags)],
    ['pageviews', integers(sql`s.pageviews`)],
    ...(times ? TIMES : []),
    ...named.map((name) => [name, integers(valueOf(name))] as const),
  ];
  const selected = columns.map(([name, column]) => sql`${column} as ${identifier(name)}`);
  return sql`
select ${joinSql(selected, ', ')}
from (
  select ${joinSql(
    [...READ, ...named.filter((name) => !(name in COMPUTED))].map((name) => identifier('s', name)),
    ', ',
  )}
  from ${sessionsIn(context, context)} limit ${limit}::int
) s`;
}

const TIMES = [
  ['first_at', timestamps(sql`s.first_at`)],
  ['duration_ms', bigints(sql`s.duration_ms`)],
] as const;

const COMPUTED: Readonly<Partial<Record<SessionColumn, Sql>>> = {
  actions: sql`s.custom_events + s.outgoing_links`,
  bounced: sql`s.bounced::int`,
};

const valueOf = (name: SessionColumn): Sql => COMPUTED[name] ?? identifier('s', name);

const READ = [
  ...['visitor', 'session', 'first_at', 'last_at', 'duration_ms', 'bounced'],
  ...['pageviews', 'custom_events', 'outgoing_links'],
];
