import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import {
  outboundLinksDaily,
  outboundLinkSessions,
  outboundLinkUsers,
} from '@ledgerline/contracts/read-models/website-events';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, percent, shareOf, text, timestamp } from '../../fields';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { distinctCounts, rowsOfDays } from '../../sql/blocks';
import { topNWithTies, TOTAL_ROWS } from '../../sql/ranked';
import { hitsIn } from '../../sql/sessions';

const COUNTS = ['total_clicks', 'unique_users', 'unique_sessions'];

export const outboundLinksQuery = queryType({
  name: 'outbound_links',
  about: 'website',
  shape: 'list',
  category: 'Outbound',
  description: 'External link clicks, one row per address with the text of its latest click',
  publicAccess: true,
  fields: {
    href: text,
    text: text,
    total_clicks: count,
    unique_users: count,
    unique_sessions: count,
    percentage: percent,
    last_clicked: timestamp,
  },
  order: byCounts(COUNTS, 'href'),
  sources: {
    days: (context) => named(byDays(context), context),
    facts: (context) => named(byHits(context), context),
  },
  row: (found) => ({ percentage: shareOf(found, 'total_clicks') }),
});

const named = (grouped: Sql, context: QueryContext): Sql => sql`
with grouped as (${grouped})
select href.text as href, coalesce(label.text, '') as text, total_clicks::float8 as total_clicks,
  unique_users::float8 as unique_users, unique_sessions::float8 as unique_sessions, last_at as last_clicked,
  whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum(total_clicks) over () as whole, ${TOTAL_ROWS} from grouped${topNWithTies(COUNTS, context)}
) r
left join dictionary href on href.id = r.value
left join dictionary label on label.id = r.label`;

const byDays = (context: QueryContext): Sql => sql`
  select value, label, total_clicks, last_at,
    coalesce(users.distinct_count, 0) as unique_users, coalesce(visits.distinct_count, 0) as unique_sessions
  from (
    select value, sum(total_clicks) as total_clicks, max(last_at) as last_at,
      (array_agg(text order by last_click collate "C" desc))[1] as label
    from ${rowsOfDays(context, outboundLinksDaily, {
      columns: sql`value, total_clicks, last_at, text, last_click`,
      also: sql` and total_clicks > 0`,
    })}
    group by value
  ) totals
  left join (${distinctCounts(context, outboundLinkUsers)}) users using (value)
  left join (${distinctCounts(context, outboundLinkSessions)}) visits using (value)`;

/** Clicks without a session have no visitor and add to neither distinct count. */
const byHits = (context: QueryContext): Sql => sql`
  select h.text as value, count(*) as total_clicks, max(h.at) as last_at,
    (array_agg(h.extra order by h.at desc, h.id desc))[1] as label, count(distinct h.visitor) as unique_users,
    count(distinct (h.actor, h.session)) filter (where h.is_session) as unique_sessions
  from ${hitsIn(context, context, {
    kind: sql`h.kind = ${HIT.outgoing}`,
    of: sql`s.visitor, s.actor, s.session, s.kind <> ${SESSION_KIND.none} as is_session`,
    columns: ['id', 'text', 'extra'],
    where: sql` and s.outgoing_links > 0`,
  })}
  group by h.text`;
