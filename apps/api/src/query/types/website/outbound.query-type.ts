import { aggregate } from '@ledgerline/aggregation/aggregation';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import {
  count,
  countFields,
  percent,
  textField,
  textAs,
  textIn,
  timestamp,
  type SqlRow,
} from '../../declaration/fields';
import { listQueryType } from '../../declaration/list-type';

const OUTBOUND = {
  category: 'Outbound',
  publicAccess: true,
  takes: { filters: ['link_kind'] },
  share: { column: 'total_clicks', of: 'sum' },
} as const;

/** A row an address. */
const LINKS = {
  labels: textAs('href'),
  fields: {
    text: textField,
    ...countFields(['total_clicks', 'unique_users', 'unique_sessions']),
    percentage: percent,
    last_clicked: timestamp,
  },
  texts: { text: 'value', label: 'label' },
  row: (found: SqlRow) => ({ text: textIn(found, 'label') }),
};

export const outboundLinksQuery = listQueryType({
  ...OUTBOUND,
  ...LINKS,
  name: 'outbound_links',
  description: 'External link clicks, one row per address with the text of its latest click',
  count: aggregate({ ...AGGREGATES.outbound_links, by: { value: 'href' } }),
});

export const downloads = listQueryType({
  ...OUTBOUND,
  ...LINKS,
  takes: { filters: [] },
  name: 'downloads',
  description: 'Downloads, also from the own domain, one row per file with the text of its latest click',
  count: aggregate(AGGREGATES.downloads),
});

export const outboundDomains = listQueryType({
  ...OUTBOUND,
  name: 'outbound_domains',
  description: 'External link clicks by domain',
  labels: textAs('domain'),
  fields: { total_clicks: count, unique_users: count, unique_links: count, percentage: percent },
  count: aggregate({
    ...AGGREGATES.outbound_domains,
    measures: { ...AGGREGATES.outbound_domains.measures, unique_links: { different: ['href', 'outbound_links'] } },
  }),
});
