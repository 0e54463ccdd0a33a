import { linkDomains } from '@ledgerline/contracts/read-models/website-facts';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { countOf } from '@ledgerline/domain/counting/count-of';
import * as counts from '@ledgerline/domain/counts/website-counts';
import { different } from '@ledgerline/domain/counting/measures';
import { count, countFields, percent, text, textAs, textIn, timestamp } from '../../fields';
import type { QueryContext } from '../../query-type';
import { listType } from '../../list-type';

const OUTBOUND = {
  category: 'Outbound',
  publicAccess: true,
  ownFilters: ['link_kind'],
  share: { column: 'total_clicks', of: 'sum' },
} as const;

export const outboundLinksQuery = listType({
  ...OUTBOUND,
  name: 'outbound_links',
  description: 'External link clicks, one row per address with the text of its latest click',
  labels: textAs('href'),
  fields: {
    text,
    ...countFields(['total_clicks', 'unique_users', 'unique_sessions']),
    percentage: percent,
    last_clicked: timestamp,
  },
  count: countOf({ ...counts.OUTBOUND_LINKS, by: { value: 'href' } }),
  texts: { text: 'value', label: 'label' },
  row: (found) => ({ text: textIn(found, 'label') }),
});

const { OUTBOUND_DOMAINS } = counts;

/** The domain of a link is stored at its first click. */
const domains = ({ table, website }: QueryContext): Sql =>
  sql`select value, domain from ${table(linkDomains)} where website = ${website}`;

export const outboundDomains = listType({
  ...OUTBOUND,
  name: 'outbound_domains',
  description: 'External link clicks by domain',
  labels: textAs('domain'),
  fields: { total_clicks: count, unique_users: count, unique_links: count, percentage: percent },
  count: {
    ...countOf({
      ...OUTBOUND_DOMAINS,
      measures: { ...OUTBOUND_DOMAINS.measures, unique_links: different('href', counts.OUTBOUND_LINKS) },
    }),
    lookup: domains,
  },
});
