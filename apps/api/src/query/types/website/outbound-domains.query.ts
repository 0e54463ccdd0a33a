import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { outboundDomainUsers, outboundLinksDaily } from '@ledgerline/contracts/read-models/website-events';
import { percentage } from '@ledgerline/domain/query/rows';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, percent, text } from '../../fields';
import { numberIn, textIn } from '../../found';
import { byCounts, websiteList } from '../../query-type';
import type { WebsiteQuestion } from '../../question';
import { rowsOfDays } from '../../sql/blocks';
import { distinctByDays } from '../../sql/distinct';
import { hitsIn } from '../../sql/hits';
import { ranked } from '../../sql/ranked';
import { WEBSITE_FILTERS } from './filters';

const COUNTS = ['total_clicks', 'unique_users', 'unique_links'];

export const outboundDomains = websiteList({
  name: 'outbound_domains',
  category: 'Outbound',
  meaning: 'External link clicks by domain',
  publicAccess: true,
  allowedFilters: WEBSITE_FILTERS,
  fields: { domain: text, total_clicks: count, unique_users: count, unique_links: count, percentage: percent },
  order: byCounts(COUNTS, 'domain'),
  answers: {
    days: (question) => ranked(byDays(question), COUNTS, 'total_clicks', question),
    facts: (question) => ranked(byHits(question), COUNTS, 'total_clicks', question),
  },
  row: (found) => ({
    domain: textIn(found, 'word'),
    total_clicks: numberIn(found, 'total_clicks'),
    unique_users: numberIn(found, 'unique_users'),
    unique_links: numberIn(found, 'unique_links'),
    percentage: percentage(numberIn(found, 'total_clicks'), numberIn(found, 'whole')),
  }),
});

const byDays = (question: WebsiteQuestion): Sql => sql`
  select value, total_clicks, unique_links, coalesce(users.distinct_count, 0) as unique_users
  from (
    select domain as value, sum(total_clicks) as total_clicks, count(distinct value) as unique_links
    from ${rowsOfDays(question, outboundLinksDaily, {
      columns: sql`value, domain, total_clicks`,
      also: sql` and total_clicks > 0`,
    })}
    group by domain
  ) totals
  left join (${distinctByDays(question, outboundDomainUsers)}) users using (value)`;

/** The domain of an address is known since its first click. */
const byHits = (question: WebsiteQuestion): Sql => sql`
  select d.domain as value, count(*) as total_clicks, count(distinct clicks.word) as unique_links,
    count(distinct clicks.visitor) as unique_users
  from (
    select h.visitor, h.word from ${hitsIn(question, question.from, question.to, {
      kind: sql`h.kind = ${HIT.outgoing}`,
      of: sql`s.visitor`,
      columns: ['word'],
      where: sql` and s.outgoing_links > 0`,
    })}
  ) clicks
  join (
    select distinct value, domain from ${question.table(outboundLinksDaily)} where website = ${question.website}
  ) d on d.value = clicks.word
  group by d.domain`;
