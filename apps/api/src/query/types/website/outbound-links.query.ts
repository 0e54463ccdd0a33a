import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import {
  outboundLinksDaily,
  outboundLinkSessions,
  outboundLinkUsers,
} from '@ledgerline/contracts/read-models/website-events';
import { percentage } from '@ledgerline/domain/query/rows';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, percent, text, timestamp } from '../../fields';
import { instantIn, numberIn, textIn } from '../../found';
import { byCounts, websiteList } from '../../query-type';
import type { WebsiteQuestion } from '../../question';
import { rowsOfDays } from '../../sql/blocks';
import { distinctByDays } from '../../sql/distinct';
import { hitsIn } from '../../sql/hits';
import { first } from '../../sql/ranked';
import { WEBSITE_FILTERS } from './filters';

const COUNTS = ['total_clicks', 'unique_users', 'unique_sessions'];

export const outboundLinksQuery = websiteList({
  name: 'outbound_links',
  category: 'Outbound',
  meaning: 'External link clicks, one row per address with the text of its latest click',
  publicAccess: true,
  allowedFilters: WEBSITE_FILTERS,
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
  answers: {
    days: (question) => named(byDays(question), question),
    facts: (question) => named(byHits(question), question),
  },
  row: (found) => ({
    href: textIn(found, 'href'),
    text: textIn(found, 'text'),
    total_clicks: numberIn(found, 'total_clicks'),
    unique_users: numberIn(found, 'unique_users'),
    unique_sessions: numberIn(found, 'unique_sessions'),
    percentage: percentage(numberIn(found, 'total_clicks'), numberIn(found, 'whole')),
    last_clicked: instantIn(found, 'last_at'),
  }),
});

const named = (grouped: Sql, question: WebsiteQuestion): Sql => sql`
with grouped as (${grouped})
select href.word as href, coalesce(label.word, '') as text, total_clicks::float8 as total_clicks,
  unique_users::float8 as unique_users, unique_sessions::float8 as unique_sessions, last_at, whole::float8 as whole
from (select *, sum(total_clicks) over () as whole from grouped${first(COUNTS, question)}) r
left join words href on href.id = r.value
left join words label on label.id = r.label`;

const byDays = (question: WebsiteQuestion): Sql => sql`
  select value, label, total_clicks, last_at,
    coalesce(users.distinct_count, 0) as unique_users, coalesce(visits.distinct_count, 0) as unique_sessions
  from (
    select value, sum(total_clicks) as total_clicks, max(last_at) as last_at,
      (array_agg(text order by last_click collate "C" desc))[1] as label
    from ${rowsOfDays(question, outboundLinksDaily, {
      columns: sql`value, total_clicks, last_at, text, last_click`,
      also: sql` and total_clicks > 0`,
    })}
    group by value
  ) totals
  left join (${distinctByDays(question, outboundLinkUsers)}) users using (value)
  left join (${distinctByDays(question, outboundLinkSessions)}) visits using (value)`;

/** Clicks in no session belong to nobody and add to neither distinct count. */
const byHits = (question: WebsiteQuestion): Sql => sql`
  select h.word as value, count(*) as total_clicks, max(h.at) as last_at,
    (array_agg(h.more order by h.at desc, h.id desc))[1] as label, count(distinct h.visitor) as unique_users,
    count(distinct (h.unit, h.session)) filter (where h.is_session) as unique_sessions
  from ${hitsIn(question, question.from, question.to, {
    kind: sql`h.kind = ${HIT.outgoing}`,
    of: sql`s.visitor, s.unit, s.session, s.kind <> ${SESSION_KIND.none} as is_session`,
    columns: ['id', 'word', 'more'],
    where: sql` and s.outgoing_links > 0`,
  })}
  group by h.word`;
