import { countOf } from '@ledgerline/domain/counting/count-of';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import { count, countFields, percent, text, textAs, textIn, timestamp } from '../../fields';
import { listType } from '../../list-type';

const OUTBOUND = { category: 'Outbound', publicAccess: true, share: { column: 'total_clicks', of: 'sum' } } as const;

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
  count: countOf({ ...AGGREGATES.outbound_links, by: { value: 'href' } }),
  texts: { text: 'value', label: 'label' },
  row: (found) => ({ text: textIn(found, 'label') }),
});

export const outboundDomains = listType({
  ...OUTBOUND,
  name: 'outbound_domains',
  description: 'External link clicks by domain',
  labels: textAs('domain'),
  fields: { total_clicks: count, unique_users: count, unique_links: count, percentage: percent },
  count: countOf({
    ...AGGREGATES.outbound_domains,
    measures: { ...AGGREGATES.outbound_domains.measures, unique_links: { different: ['href', 'outbound_links'] } },
  }),
});
