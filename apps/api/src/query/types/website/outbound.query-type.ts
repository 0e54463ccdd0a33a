import * as rollups from '@ledgerline/contracts/read-models/website-events';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { countOf } from '@ledgerline/domain/counting/count-of';
import * as counts from '@ledgerline/domain/counts/website-counts';
import { different } from '@ledgerline/domain/counting/measures';
import { count, countFields, percent, text, timestamp } from '../../fields';
import { textIn } from '../../sql-row';
import { textAs } from '../../labels';
import type { QueryContext } from '../../query-type';
import { distinctOf, figuresOf } from '../../sql/lists';
import { listType } from '../../list-type';

const OUTBOUND = { category: 'Outbound', publicAccess: true, share: { column: 'total_clicks', of: 'sum' } } as const;

const total_clicks = ['number', sql`sum(total_clicks)`] as const;
const also = sql` and total_clicks > 0`;

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
  days: {
    top: figuresOf(rollups.outboundLinksDaily, {
      from: ['value', 'total_clicks', 'last_at', 'text', 'last_click'],
      also,
      figures: {
        total_clicks,
        last_clicked: ['time', sql`max(last_at)`],
        label: ['text', sql`(array_agg(text order by last_click collate "C" desc))[1]`],
      },
    }),
    parts: [
      distinctOf(rollups.outboundLinkUsers, 'unique_users'),
      distinctOf(rollups.outboundLinkSessions, 'unique_sessions'),
    ],
  },
  count: countOf({ ...counts.OUTBOUND_LINKS, by: { value: 'href' } }),
  texts: { text: 'value', label: 'label' },
  row: (found) => ({ text: textIn(found, 'label') }),
});

const { OUTBOUND_DOMAINS } = counts;

/** The domain of a link is stored at its first click. */
const domains = ({ table, website }: QueryContext): Sql =>
  sql`select distinct value, domain from ${table(rollups.outboundLinksDaily)} where website = ${website}`;

export const outboundDomains = listType({
  ...OUTBOUND,
  name: 'outbound_domains',
  description: 'External link clicks by domain',
  labels: textAs('domain'),
  fields: { total_clicks: count, unique_users: count, unique_links: count, percentage: percent },
  days: {
    top: figuresOf(rollups.outboundLinksDaily, {
      from: ['value', 'domain', 'total_clicks'],
      by: 'domain',
      also,
      figures: { total_clicks, unique_links: ['number', sql`count(distinct value)`] },
    }),
    parts: [distinctOf(rollups.outboundDomainUsers, 'unique_users')],
  },
  count: {
    ...countOf({
      ...OUTBOUND_DOMAINS,
      measures: { ...OUTBOUND_DOMAINS.measures, unique_links: different('href', counts.OUTBOUND_LINKS) },
    }),
    lookup: domains,
  },
});
