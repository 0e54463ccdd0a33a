import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import * as rollups from '@ledgerline/contracts/read-models/website-events';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { countOf, type Key } from '@ledgerline/domain/counting/count-of';
import { COUNT, different, greatest, SESSIONS, VISITORS, type Measure } from '@ledgerline/domain/counting/measures';
import { count, countFields, percent, text, timestamp } from '../../fields';
import { textIn } from '../../sql-row';
import { textAs } from '../../labels';
import type { QueryContext } from '../../query-type';
import { distinctOf, figuresOf } from '../../sql/lists';
import { listType } from '../../list-type';

const OUTBOUND = { category: 'Outbound', publicAccess: true, share: { column: 'total_clicks', of: 'sum' } } as const;

const total_clicks = ['number', sql`sum(total_clicks)`] as const;
const also = sql` and total_clicks > 0`;

/** The text of the latest click: by time, then by id. */
const latestLabel: Measure = {
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
  count: countOf({
    of: 'outgoing_links',
    by: { value: 'href' },
    measures: {
      total_clicks: COUNT,
      unique_users: VISITORS,
      unique_sessions: SESSIONS,
      last_clicked: greatest('at'),
      label: latestLabel,
    },
  }),
  texts: { text: 'value', label: 'label' },
  row: (found) => ({ text: textIn(found, 'label') }),
});

/** The domain of a link is stored at its first click. */
const domain: Key = {
  of({ field, lookup }) {
    const domains = new Map(lookup.map((link) => [link['value'], Number(link['domain'])]));
    return Int32Array.from(field('href'), (href) => domains.get(href) ?? -1);
  },
};

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
      of: 'outgoing_links',
      by: { value: domain },
      measures: { total_clicks: COUNT, unique_users: VISITORS, unique_links: different('href') },
    }),
    lookup: domains,
  },
});
