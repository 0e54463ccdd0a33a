import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import {
  outboundLinksDaily,
  outboundLinkSessions,
  outboundLinkUsers,
} from '@ledgerline/contracts/read-models/website-events';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, percent, shareOf, text, timestamp } from '../../fields';
import { counted } from '../../counting/counted';
import { COUNT, greatest, SESSIONS, VISITORS, type Measure } from '../../counting/measures';
import { ranked } from '../../counting/ranked';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { distinctCounts, rowsOfDays, topNWithTies, TOTAL_ROWS } from '../../sql/rollups';

const COUNTS = ['total_clicks', 'unique_users', 'unique_sessions'];

/** The text of the latest click: by time, then by id. */
const latestLabel: Measure = {
  fields: [],
  of({ numbers, count: groups }, { field }) {
    const [labels, ...order] = ['label', 'at', 'id_1', 'id_2', 'id_3', 'id_4'].map(field);
    const isLater = (a: number, b: number) => {
      const decisive = order.find((column) => column[a] !== column[b]);
      return decisive !== undefined && (decisive[a] ?? 0) > (decisive[b] ?? 0);
    };
    const latest = new Int32Array(groups).fill(-1);
    for (let at = 0; at < numbers.length; at++) {
      const group = numbers[at] ?? -1;
      const last = latest[group] ?? -1;
      if (group >= 0 && (last < 0 || isLater(at, last))) latest[group] = at;
    }
    return Float64Array.from(latest, (at) => labels?.[at] ?? NO_TEXT);
  },
};

const byHref = counted({
  of: 'outgoing_links',
  by: { value: 'href' },
  measures: {
    total_clicks: COUNT,
    unique_users: VISITORS,
    unique_sessions: SESSIONS,
    last_clicked: greatest('at'),
    label: latestLabel,
  },
});

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
  sources: { days: byDays },
  sessionColumns: ranked(byHref, { by: COUNTS, share: 'total_clicks', texts: { href: 'value', text: 'label' } }),
  row: (found) => ({ percentage: shareOf(found, 'total_clicks') }),
});

function byDays(context: QueryContext): Sql {
  return sql`
with grouped as (
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
  left join (${distinctCounts(context, outboundLinkSessions)}) visits using (value)
)
select href.text as href, coalesce(label.text, '') as text, total_clicks::float8 as total_clicks,
  unique_users::float8 as unique_users, unique_sessions::float8 as unique_sessions, last_at as last_clicked,
  whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum(total_clicks) over () as whole, ${TOTAL_ROWS} from grouped${topNWithTies(COUNTS, context)}
) r
left join dictionary href on href.id = r.value
left join dictionary label on label.id = r.label`;
}
