import type { PageViewed } from '@ledgerline/contracts/events/observed-events';
import { attributeOf, COUNTRY_NAMES, REFERRERS } from './naive-attributes';
import { average, buckets, distinct, median, percent, share, type NaiveRequest } from './naive-request';
import type { Selection } from './naive-selection';
import type { NaiveSession } from './naive-sessions';

export type Row = Record<string, unknown>;
type Answer = (selection: Selection, request: NaiveRequest) => Row[];

const seconds = (ms: number | null) => (ms === null ? null : ms / 1000);
const visitorsOf = (views: Selection['views']) => distinct(views.map(({ event }) => event.data.visitorId));

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** Rows of one attribute: page views and visitors by the value that the session (or the page view itself) has; page views in no session have no attributes. */
function breakdown(
  valueOf: (view: PageViewed) => string,
  ofSession: boolean,
  keepEmpty: boolean,
  rowOf: (value: string) => Row,
  name = 'name',
): Answer {
  return ({ views }) => {
    const having = ofSession ? views.filter(({ session }) => session !== undefined) : views;
    const groups = groupBy(having, ({ event, session }) => valueOf(ofSession ? (session?.first ?? event) : event));
    if (!keepEmpty) groups.delete('');
    const rows = [...groups].map(([value, group]) => ({
      ...rowOf(value),
      pageviews: group.length,
      visitors: visitorsOf(group),
      percentage: share(visitorsOf(group), visitorsOf(views)),
    }));
    return sorted(rows, ['visitors', 'pageviews'], name);
  };
}

const attribute = (field: string, keepUnknown: boolean) =>
  breakdown(
    (view) => attributeOf(view, field),
    true,
    keepUnknown,
    (value) => ({ name: value === '' ? 'Unknown' : value }),
  );

const referrers = (withDirect: boolean) =>
  breakdown(
    (view) => attributeOf(view, 'referrer'),
    true,
    withDirect,
    (domain) => {
      const known = Object.values(REFERRERS).find((source) => source.domain === domain);
      return domain === ''
        ? { name: 'Direct', referrer: '', referrer_type: 'direct' }
        : { name: known?.name ?? domain, referrer: domain, referrer_type: known?.type ?? 'other' };
    },
  );

const place = (field: 'region' | 'city') =>
  breakdown(
    (view) => (attributeOf(view, field) === '' ? '' : `${attributeOf(view, 'country')}|${attributeOf(view, field)}`),
    true,
    true,
    (value) => {
      const [code = '', name = ''] = value.split('|');
      return value === '' ? { name: 'Unknown' } : { name, country_code: code };
    },
  );

const pages = breakdown(
  ({ data }) => data.path,
  false,
  true,
  (name) => ({ name }),
);

const screens = attribute('screen', true);

const withoutPercentage = (rows: Row[]) =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([field]) => field !== 'percentage')));

function bySessions(valueOf: (session: NaiveSession) => string): Answer {
  return ({ sessions, views }) => {
    const groups = groupBy(sessions, valueOf);
    const counted = [...groups].map(([name, group]) => ({
      name,
      pageviews: group.length,
      visitors: distinct(group.map(({ visitor }) => visitor)),
    }));
    return sorted(
      counted.map((row) => ({ ...row, percentage: share(row.visitors, visitorsOf(views)) })),
      ['visitors', 'pageviews'],
    );
  };
}

const sessionsBy =
  (field: string): Answer =>
  ({ sessions, views }) => {
    const inSessions = views.filter(({ session }) => session !== undefined);
    const visitors = groupBy(inSessions, ({ event, session }) => attributeOf(session?.first ?? event, field));
    const rows = [...groupBy(sessions, (session) => attributeOf(session.first!, field))].map(([value, group]) => ({
      name: value === '' ? 'Unknown' : value,
      sessions: group.length,
      visitors: visitorsOf(visitors.get(value) ?? []),
    }));
    return sorted(rows, ['sessions', 'visitors']);
  };

const series =
  (rowOf: (part: Selection) => Row): Answer =>
  (selection, request) =>
    buckets(request).map((bucket) => ({
      date: bucket.date,
      ...rowOf({
        ...selection,
        views: selection.views.filter(({ event }) => bucket.has(event.at)),
        sessions: selection.sessions.filter(({ first }) => bucket.has(first!.at)),
      }),
    }));

const bounceRate = (sessions: NaiveSession[]) =>
  percent(sessions.filter(({ bounced }) => bounced).length, sessions.length);
const medianDuration = (sessions: NaiveSession[]) => seconds(median(sessions.map(({ duration }) => duration)));
const eventsOf = ({ events }: NaiveSession) =>
  events.filter(({ type }) => type === 'PageViewed' || type === 'CustomEventTracked' || type === 'OutgoingLinkClicked')
    .length;

const DURATION_RANGES: readonly [string, number, number][] = [
  ['0-10s', 0, 10_000],
  ['10-30s', 10_000, 30_000],
  ['30-60s', 30_000, 60_000],
  ['1-3m', 60_000, 180_000],
  ['3-10m', 180_000, 600_000],
  ['10-30m', 600_000, 1_800_000],
  ['30m+', 1_800_000, Infinity],
];

/** Lists in their stable order: counts descending, then name (and what else tells rows apart) in code-point order. */
export function sorted(rows: Row[], counts: readonly string[], name = 'name'): Row[] {
  return rows.sort((a, b) => {
    for (const count of counts) if (a[count] !== b[count]) return Number(b[count]) - Number(a[count]);
    return byCodePoints(a, b, name) || byCodePoints(a, b, 'country_code') || byCodePoints(a, b, 'browser_version');
  });
}

export const byCodePoints = (a: Row, b: Row, field: string) =>
  Buffer.compare(Buffer.from(textOf(a[field])), Buffer.from(textOf(b[field])));

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** Every website query type about page views and sessions, straight from its definition. */
export const websiteAnswers: Readonly<Record<string, Answer>> = {
  summary_metrics: ({ views, sessions, custom, outgoing }) => [
    {
      pageviews: views.length,
      unique_visitors: visitorsOf(views),
      sessions: sessions.length,
      bounce_rate: bounceRate(sessions),
      median_session_duration: medianDuration(sessions),
      total_events: views.length + custom.length + outgoing.length,
    },
  ],
  events_by_date: series(({ views, sessions }) => ({
    pageviews: views.length,
    visitors: visitorsOf(views),
    sessions: sessions.length,
    bounce_rate: bounceRate(sessions),
    median_session_duration: medianDuration(sessions),
    pages_per_session: sessions.length === 0 ? 0 : Math.round((views.length / sessions.length) * 100) / 100,
  })),
  session_metrics: series(({ sessions }) => ({
    total_sessions: sessions.length,
    avg_session_duration: seconds(average(sessions.map(({ duration }) => duration))),
    median_session_duration: medianDuration(sessions),
    bounce_rate: bounceRate(sessions),
    total_events: sessions.reduce((total, session) => total + eventsOf(session), 0),
  })),
  sessions_time_series: series(({ views, sessions }) => ({ sessions: sessions.length, visitors: visitorsOf(views) })),
  top_pages: (selection, request) => pages(selection, request),
  page_performance: (selection, request) => withoutPercentage(pages(selection, request)),
  entry_pages: bySessions(({ views }) => views[0]!.data.path),
  exit_pages: bySessions(({ views }) => views.at(-1)!.data.path),
  traffic_sources: referrers(true),
  top_referrers: referrers(false),
  channels: attribute('channel', true),
  utm_sources: attribute('utm_source', false),
  utm_mediums: attribute('utm_medium', false),
  utm_campaigns: attribute('utm_campaign', false),
  utm_terms: attribute('utm_term', false),
  utm_content: attribute('utm_content', false),
  browser_name: attribute('browser_name', true),
  os_name: attribute('os_name', true),
  device_types: attribute('device_type', true),
  language: attribute('language', true),
  timezone: attribute('timezone', true),
  screen_resolutions: (selection, request) => withoutPercentage(screens(selection, request)),
  country: breakdown(
    (view) => attributeOf(view, 'country'),
    true,
    true,
    (code) => (code === '' ? { name: 'Unknown' } : { name: COUNTRY_NAMES[code], country_code: code }),
  ),
  region: place('region'),
  city: place('city'),
  browser_versions: breakdown(
    (view) => attributeOf(view, 'browser_version'),
    true,
    true,
    (value) => {
      const [, browser_name = '', browser_version = ''] = /^(.*) (.*)$/.exec(value) ?? [];
      return value === '' ? { browser_name: 'Unknown', browser_version: 'Unknown' } : { browser_name, browser_version };
    },
    'browser_name',
  ),
  sessions_by_device: sessionsBy('device_type'),
  sessions_by_browser: sessionsBy('browser_name'),
  session_duration_distribution: ({ sessions }) =>
    DURATION_RANGES.map(([duration_range, from, to]) => {
      const within = sessions.filter(({ duration }) => duration >= from && duration < to);
      return { duration_range, sessions: within.length, visitors: distinct(within.map(({ visitor }) => visitor)) };
    }).filter((row) => row.sessions > 0),
};
