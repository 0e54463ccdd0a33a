import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { customEvents } from '@ledgerline/contracts/read-models/website-events';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { columnOf, numberIn, object, orNull, text, textIn, timeIn, timestamp, type SqlRow } from '../../fields';
import { queryType, type QueryContext } from '../../query-type';
import { ALWAYS } from '../../sql/series';
import { hitsIn, ofAnyKind } from '../../sql/sessions';
import { sessionEvent, withoutDashes, type FoundHit } from './session-events';

export const sessionEventsQuery = queryType({
  name: 'session_events',
  about: 'website',
  shape: 'list',
  category: 'Sessions',
  isComparable: false,
  description: 'Every event of one session, oldest first, whatever dates are asked for',
  requiredFilters: ['session_id'],
  fields: {
    session_id: text,
    event_id: text,
    time: timestamp,
    event_name: text,
    path: orNull(text),
    properties: object,
  },
  sortedBySql: ['time'],
  sources: { facts: fromFacts },
  row(found) {
    const { id, ...event } = sessionEvent(hitOf(found));
    return { session_id: withoutDashes(textIn(found, 'session')), event_id: id, ...event };
  },
});

function fromFacts(context: QueryContext): Sql {
  const { page, sort, website } = context;
  const wanted = {
    kind: ofAnyKind(context),
    of: sql`s.session, s.actor`,
    columns: ['id', 'path', 'text'],
    where: emptySql,
  } as const;
  const order = sort?.direction === 'desc' ? sql`h.at desc, h.id desc` : sql`h.at, h.id`;
  return sql`
with hits as (
  select *, count(*) over () as total_rows from ${hitsIn(context, ALWAYS, wanted)}
  order by ${order} limit ${page.limit} offset ${(page.page - 1) * page.limit}
)
select h.session, h.id, h.at, h.kind::float8 as kind, path.text as path, content.text, c.properties,
  h.total_rows::float8 as total_rows
from hits h
left join dictionary path on path.id = h.path
left join dictionary content on content.id = h.text
left join ${context.table(customEvents)} c
  on h.kind = ${HIT.custom} and c.website = ${website} and c.at = h.at and c.id = h.id and c.actor = h.actor
order by ${order}`;
}

const hitOf = (found: SqlRow): FoundHit => ({
  id: textIn(found, 'id') || NO_ID,
  at: timeIn(found, 'at'),
  kind: numberIn(found, 'kind'),
  path: textIn(found, 'path') || null,
  text: textIn(found, 'text') || null,
  properties: columnOf(found, 'properties') as FoundHit['properties'],
});

const NO_ID = '0'.repeat(32);
