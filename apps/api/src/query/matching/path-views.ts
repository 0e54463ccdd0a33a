import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { MatchingSessions, PathViews } from '../matching-sessions';
import type { QueryContext } from '../query-type';
import { sessionsIn, wholly } from '../sql/sessions';
import {
  arrays,
  integerAt,
  integers,
  readArrays,
  readIntegers,
  readUuids,
  smallintAt,
  uuids,
  type Columns,
} from './binary-columns';
import type { UuidNumbers } from './uuid-numbers';

/** So many page views have the paths of entry and exit. */
const KNOWN_PATHS = 2;

interface Known {
  /** Of the visitors of all sessions. */
  readonly numbers: UuidNumbers;
  /** The places of sessions across the ends of the range. */
  readonly across: readonly number[];
}

type Add = (path: number, visitor: number) => void;

/** The page views in the range: of most sessions they are entry and exit, the others are read with their hits. */
export async function loadPathViews(
  on: Queryable,
  context: QueryContext,
  sessions: Omit<MatchingSessions, 'views'>,
  { numbers, across }: Known,
): Promise<PathViews> {
  const total = sessions.inRange.pageviews.reduce((sum, views) => sum + views, 0);
  const views = { paths: new Int32Array(total), visitors: new Int32Array(total) };
  let at = 0;
  const add: Add = (path, visitor) => {
    views.paths[at] = path;
    views.visitors[at++] = visitor;
  };
  addShort(sessions, new Set(across), add);
  for (const { place, kind, path } of sessions.hitsAcross) {
    if (kind === HIT.view) add(path, sessions.visitors[place] ?? -1);
  }
  const [row = {}] = await run<Columns>(on, longSql(context));
  addLong(row, numbers, add);
  return views;
}

function addShort(
  { size, pageviews, visitors, column }: Omit<MatchingSessions, 'views'>,
  across: ReadonlySet<number>,
  add: Add,
): void {
  const [entries, exits] = [column('entry_path'), column('exit_path')];
  for (let place = 0; place < size; place++) {
    const count = pageviews[place] ?? 0;
    if (count > KNOWN_PATHS || across.has(place)) continue;
    const visitor = visitors[place] ?? -1;
    add(entries[place] ?? 0, visitor);
    if (count === KNOWN_PATHS) add(exits[place] ?? 0, visitor);
  }
}

function addLong(row: Columns, numbers: UuidNumbers, add: Add): void {
  const actors = readUuids(row['actor']);
  const hasVisitor = readIntegers(row['has_visitor']);
  const kinds = readArrays(row['kinds'], smallintAt);
  const paths = readArrays(row['paths'], integerAt).values;
  let hit = 0;
  for (const [place, length] of kinds.lengths.entries()) {
    const visitor = hasVisitor[place] === 1 ? numbers.numberOf(actors, place) : -1;
    for (let left = length; left > 0; left--, hit++) {
      if (kinds.values[hit] === HIT.view) add(paths[hit] ?? 0, visitor);
    }
  }
}

const longSql = (context: QueryContext): Sql => sql`
select ${uuids(sql`s.actor`)} as actor, ${integers(sql`(s.visitor is not null)::int`)} as has_visitor,
  ${arrays(sql`s.hit_kind`)} as kinds, ${arrays(sql`s.hit_path`)} as paths
from ${sessionsIn(context, context)} and s.pageviews > ${KNOWN_PATHS}::int and ${wholly(context)}`;
