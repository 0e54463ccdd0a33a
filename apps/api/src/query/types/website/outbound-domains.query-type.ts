import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { outboundDomainUsers, outboundLinksDaily } from '@ledgerline/contracts/read-models/website-events';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, percent, shareOf, text, textIn } from '../../fields';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { distinctCounts, rowsOfDays } from '../../sql/blocks';
import { hitsIn } from '../../sql/sessions';
import { ranked } from '../../sql/ranked';

const COUNTS = ['total_clicks', 'unique_users', 'unique_links'];

export const outboundDomains = queryType({
  name: 'outbound_domains',
  about: 'website',
  shape: 'list',
  category: 'Outbound',
  description: 'External link clicks by domain',
  publicAccess: true,
  fields: { domain: text, total_clicks: count, unique_users: count, unique_links: count, percentage: percent },
  order: byCounts(COUNTS, 'domain'),
  sources: {
    days: (context) => ranked(byDays(context), COUNTS, 'total_clicks', context),
    facts: (context) => ranked(byHits(context), COUNTS, 'total_clicks', context),
  },
  row: (found) => ({ domain: textIn(found, 'text'), percentage: shareOf(found, 'total_clicks') }),
});

const byDays = (context: QueryContext): Sql => sql`
  select value, total_clicks, unique_links, coalesce(users.distinct_count, 0) as unique_users
  from (
    select domain as value, sum(total_clicks) as total_clicks, count(distinct value) as unique_links
    from ${rowsOfDays(context, outboundLinksDaily, {
      columns: sql`value, domain, total_clicks`,
      also: sql` and total_clicks > 0`,
    })}
    group by domain
  ) totals
  left join (${distinctCounts(context, outboundDomainUsers)}) users using (value)`;

/**
 * The domain of a link is stored at its first click. TRICKY: clicks are grouped by link before they are joined, as
 * Postgres expects a single click, and would compare each one with every link.
 */
const byHits = (context: QueryContext): Sql => sql`
  with linked as (
    select d.domain, clicks.visitors
    from (
      select h.text, array_agg(h.visitor) as visitors from ${hitsIn(context, context, {
        kind: sql`h.kind = ${HIT.outgoing}`,
        of: sql`s.visitor`,
        columns: ['text'],
        where: sql` and s.outgoing_links > 0`,
      })}
      group by h.text
    ) clicks
    join (
      select distinct value, domain from ${context.table(outboundLinksDaily)} where website = ${context.website}
    ) d on d.value = clicks.text
  )
  select domain as value, sum(cardinality(visitors)) as total_clicks, count(*) as unique_links,
    (select count(distinct v) from linked l, unnest(l.visitors) v where l.domain = linked.domain) as unique_users
  from linked group by domain`;
