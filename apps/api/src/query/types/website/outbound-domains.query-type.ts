import { outboundDomainUsers, outboundLinksDaily } from '@ledgerline/contracts/read-models/website-events';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, percent, shareOf, text, textIn } from '../../fields';
import { counted, type Key } from '../../counting/counted';
import { COUNT, different, VISITORS } from '../../counting/measures';
import { ranked } from '../../counting/ranked';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { distinctCounts, rowsOfDays } from '../../sql/rollups';
import { ranked as rankedSql } from '../../sql/ranked';

const COUNTS = ['total_clicks', 'unique_users', 'unique_links'];

/** The domain of a link is stored at its first click. */
const domain: Key = {
  fields: [],
  of({ field, lookup }) {
    const domains = new Map(lookup.map((link) => [link['value'], Number(link['domain'])]));
    return Int32Array.from(field('href'), (href) => domains.get(href) ?? -1);
  },
};

const byDomain = counted({
  of: 'outgoing_links',
  by: { value: domain },
  measures: { total_clicks: COUNT, unique_users: VISITORS, unique_links: different('href') },
});

export const outboundDomains = queryType({
  name: 'outbound_domains',
  about: 'website',
  shape: 'list',
  category: 'Outbound',
  description: 'External link clicks by domain',
  publicAccess: true,
  fields: { domain: text, total_clicks: count, unique_users: count, unique_links: count, percentage: percent },
  order: byCounts(COUNTS, 'domain'),
  sources: { days: (context) => rankedSql(byDays(context), COUNTS, 'total_clicks', context) },
  sessionColumns: { ...ranked(byDomain, { by: COUNTS, share: 'total_clicks' }), lookup: domains },
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

function domains({ table, website }: QueryContext): Sql {
  return sql`select distinct value, domain from ${table(outboundLinksDaily)} where website = ${website}`;
}
