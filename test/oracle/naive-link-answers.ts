import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { COUNTRY_NAMES, referrerDomain, REFERRERS, spellingsOf } from './naive-attributes';
import { buckets, distinct, inRange, naiveAlternatives, type NaiveRequest, passes } from './naive-request';
import { asRecorded } from './naive-selection';
import { sorted, type Row } from './naive-website-answers';

type Answer = (clicks: readonly LinkClicked[], request: NaiveRequest) => Row[];

/** '' = unknown, or direct. */
function attributeOf({ data }: LinkClicked, field: string): string {
  switch (field) {
    case 'referrer':
      return referrerDomain(data);
    case 'country':
      return data.country ?? '';
    case 'region':
      return data.region ?? '';
    case 'city':
      return data.city ?? '';
    case 'device_type':
      return data.device;
    case 'browser_name':
      return data.browser ?? '';
    default:
      throw new Error(`The oracle knows no link attribute ${field}.`);
  }
}

/** The clicks a request is about. */
export function selectClicks(clicks: readonly LinkClicked[], request: NaiveRequest): LinkClicked[] {
  return clicks.filter(
    (click) =>
      inRange(click.at, request) &&
      request.filters.every((filter) =>
        naiveAlternatives(filter).some((each) => {
          const value = attributeOf(click, each.field);
          const ignoresCase = ['country', 'device_type', 'browser_name'].includes(each.field);
          return passes(asRecorded(each), spellingsOf(value, each), ignoresCase);
        }),
      ),
  );
}

const series =
  (rowOf: (clicks: LinkClicked[]) => Row): Answer =>
  (clicks, request) =>
    buckets(request).map((bucket) => ({
      date: bucket.date,
      ...rowOf(clicks.filter(({ at }) => bucket.has(at))),
    }));

const top =
  (keyOf: (click: LinkClicked) => string, rowOf: (key: string) => Row): Answer =>
  (clicks) =>
    sorted(
      [...new Set(clicks.map(keyOf))].map((key) => ({
        ...rowOf(key),
        clicks: clicks.filter((click) => keyOf(click) === key).length,
      })),
      ['clicks'],
    );

const named = (field: string) =>
  top(
    (click) => attributeOf(click, field),
    (value) => ({ name: value === '' ? 'Unknown' : value }),
  );

const place = (field: 'region' | 'city') =>
  top(
    (click) =>
      attributeOf(click, field) === '' ? '' : `${attributeOf(click, 'country')}|${attributeOf(click, field)}`,
    (value) => (value === '' ? { name: 'Unknown' } : { name: value.split('|')[1], country_code: value.split('|')[0] }),
  );

/** Every link query type, straight from its definition. */
export const linkAnswers: Readonly<Record<string, Answer>> = {
  link_total_clicks: (clicks) => [{ total: clicks.length }],
  link_unique_clicks: (clicks) => [
    { total: clicks.length, unique: distinct(clicks.map(({ data }) => data.visitorId)) },
  ],
  link_last_click: (clicks) => [
    { last_clicked: clicks.length === 0 ? null : new Date(Math.max(...clicks.map(({ at }) => at))).toISOString() },
  ],
  link_clicks_by_day: series((clicks) => ({ clicks: clicks.length })),
  link_referrers_by_day: series((clicks) => ({
    value: new Set(clicks.map((click) => attributeOf(click, 'referrer')).filter((domain) => domain !== '')).size,
  })),
  link_countries_by_day: series((clicks) => ({
    value: new Set(clicks.map((click) => attributeOf(click, 'country')).filter((code) => code !== '')).size,
  })),
  link_top_referrers: top(
    (click) => attributeOf(click, 'referrer'),
    (domain) =>
      domain === ''
        ? { name: 'Direct', referrer: '' }
        : {
            name: Object.values(REFERRERS).find((source) => source.domain === domain)?.name ?? domain,
            referrer: domain,
          },
  ),
  link_top_countries: top(
    (click) => attributeOf(click, 'country'),
    (code) => (code === '' ? { name: 'Unknown' } : { name: COUNTRY_NAMES[code], country_code: code }),
  ),
  link_top_regions: place('region'),
  link_top_cities: place('city'),
  link_top_devices: named('device_type'),
  link_top_browsers: named('browser_name'),
};
