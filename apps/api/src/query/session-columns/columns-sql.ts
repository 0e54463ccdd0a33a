import { VISIT_WORDS } from '@ledgerline/domain/sessions/packed-pages';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { SessionColumn } from './session-columns';
import type { QueryContext } from '../query-type';
import { sessionsIn, wholly } from '../sql/sessions';
import { bigints, bytes, integers, timestamps, uuids } from '@ledgerline/platform/database/binary-columns';

/** What types need of the sessions beside what all of them do. */
export interface Needed {
  readonly columns: ReadonlySet<SessionColumn>;
  readonly times: boolean;
  readonly paths: boolean;
  readonly visits: boolean;
  readonly hits: boolean;
}

/** Bits of the flags of a session: it has a visitor; only its hits show what lies in the range; it bounced. */
export const [HAS_VISITOR, IS_READ, BOUNCED] = [1, 2, 4];
/** Above the flags are the actions, and above these, in the next 32 bits, the page views: one value is sent as fast as another. */
export const ACTIONS = 8;
const PAGEVIEWS = 2 ** 32;

interface Wanted extends Needed {
  readonly named: readonly SessionColumn[];
  readonly limit: number;
}

/**
 * One row, of which each column holds the values of all sessions. TRICKY: the inner query names the columns, which the
 * covering index has, so that Postgres does not read the table.
 */
export function columnsSql(context: QueryContext, { named, times, paths, visits, hits, limit }: Wanted): Sql {
  const columns: readonly (readonly [string, Sql])[] = [
    ['actor', uuids(sql`coalesce(s.visitor, s.session)`)],
    ['session', uuids(hits ? sql`s.session` : sql`case when s.is_whole then null else s.session end`)],
    ['counts', bigints(COUNTS)],
    ...(times ? TIMES : []),
    ...(paths ? PATHS : []),
    ...(visits ? VISITS : []),
    ...named.map((name) => [name, integers(identifier('s', name))] as const),
  ];
  const selected = columns.map(([name, column]) => sql`${column} as ${identifier(name)}`);
  const isPacked = paths || visits ? sql` and s.middle_paths is not null` : sql``;
  const read = [...READ, ...named].map((name) => identifier('s', name));
  return sql`
select ${joinSql(selected, ', ')}
from (
  select ${joinSql(read, ', ')}, ${wholly(context)}${isPacked} as is_whole
  from ${sessionsIn(context, context)} limit ${limit}::int
) s`;
}

const COUNTS = sql`s.pageviews::bigint * ${PAGEVIEWS}::bigint + (s.custom_events + s.outgoing_links)::bigint * ${ACTIONS}::int
      + (s.visitor is not null)::int + case when s.is_whole then 0 else ${IS_READ}::int end
      + case when s.bounced then ${BOUNCED}::int else 0 end`;

const TIMES = [
  ['first_at', timestamps(sql`s.first_at`)],
  ['duration_ms', bigints(sql`s.duration_ms`)],
] as const;

const PATHS = [['middle_paths', bytes(sql`case when s.is_whole then s.middle_paths end`)]] as const;

const VISIT_BYTES = 4 * VISIT_WORDS;

const VISITS = [
  ['page_visits', bytes(sql`case when s.is_whole then s.page_visits end`)],
  [
    'visit_counts',
    integers(sql`case when s.is_whole then octet_length(s.page_visits) / ${VISIT_BYTES}::int else 0 end`),
  ],
] as const;

const READ = [
  ...['visitor', 'session', 'first_at', 'duration_ms', 'bounced', 'middle_paths', 'page_visits'],
  ...['pageviews', 'custom_events', 'outgoing_links'],
];
