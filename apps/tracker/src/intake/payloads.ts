import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Json } from '@ledgerline/contracts/json';
import {
  COMMON,
  CUSTOM_EVENT,
  ENGAGEMENT_SPAN,
  type Field,
  IDENTIFICATION,
  OUTGOING_LINK,
  PAGE_ERROR,
  PAGE_LEAVE,
  PAGE_VIEW,
  SPAN,
  WEB_VITAL,
} from '@ledgerline/contracts/tracking-items';
import { normalEncoding, normalLanguage } from '@ledgerline/domain/normal-forms';
import { supportedZone } from '@ledgerline/domain/time/zones';
import { withExactIntegers } from '@ledgerline/platform/http/json-body';
import { readReferrer, readUtm } from '../parse';
import type { Payload } from './intake-context';
import { itemReader } from './parse-items.step';

/** What browsers send to `/batch` and `/`: a page view, a leave, an outgoing link, or any other name: a custom event. */
export function readBrowserEvent(item: unknown): Payload {
  const { type, name } = item !== null && typeof item === 'object' ? (item as { type?: unknown; name?: unknown }) : {};
  if (type === 'outgoing_link') return readOutgoingLink(item);
  if (name === 'screen_view') return readPageView(item);
  if (name === 'page_exit') return readPageLeave(item);
  return readCustomEvent(item);
}

/** A visitor saw a page. A detail that cannot be read is unknown. */
const readPageView = itemReader(PAGE_VIEW, (view) => {
  const { host, path, query } = view.path;
  const data = {
    host,
    path,
    query,
    title: view.title,
    referrer: readReferrer(view.referrer),
    utm: readUtm(view, query),
    language: matching(view.language && normalLanguage(view.language), /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/),
    timezone: view.timezone && (supportedZone(view.timezone) ?? null),
    screen: matching(view.screen_resolution, SIZE),
    viewport: matching(view.viewport_size, SIZE),
  };
  return { kind: 'screen_view', facts: { type: 'PageViewed', data } };
});

const SIZE = /^\d{1,5}x\d{1,5}$/;

const matching = (value: string | null, pattern: RegExp) => (value !== null && pattern.test(value) ? value : null);

/** A visitor left a page. */
const readPageLeave = itemReader(PAGE_LEAVE, ({ path, time_on_page, scroll_depth, interaction_count }) => {
  const data = { ...path, timeOnPage: time_on_page, scrollDepth: scroll_depth, interactions: interaction_count };
  return { kind: 'page_exit', facts: { type: 'PageLeft', data } };
});

/** A visitor followed a link that leads away from the website, or to a file. */
const readOutgoingLink = itemReader(OUTGOING_LINK, ({ href, link_kind, text, path }) => {
  const data = { href: normalEncoding(href.href), linkKind: link_kind ?? 'link', text, path };
  return { kind: 'outgoing_link', facts: { type: 'OutgoingLinkClicked', data } };
});

/** An event that a website's own code reports. */
export const readCustomEvent = itemReader(CUSTOM_EVENT, ({ name, namespace, path, properties, source }) => {
  const data = { name, namespace, path, properties, source };
  return { kind: name, facts: { type: 'CustomEventTracked', data } };
});

/** How fast or steady a page was for a visitor. */
export const readVital = itemReader(WEB_VITAL, ({ path: { path }, metricName, metricValue }) => {
  const data = { path, metric: metricName, value: metricValue };
  return { kind: 'vital', facts: { type: 'VitalMeasured', data } };
});

/** A script of a page failed. */
export const readError = itemReader(PAGE_ERROR, ({ path: { path }, ...error }) => {
  const { errorType, stack, filename } = error;
  const message = error.message ?? errorType ?? 'Error without a message';
  const data = { path, message, stack, filename, line: error.lineno, column: error.colno, errorType };
  return { kind: 'error', facts: { type: 'ErrorRecorded', data } };
});

/** What a visitor did on a page until its view ended: of the fields of a span, those that have a value. */
export const readEngagementSpan = itemReader(ENGAGEMENT_SPAN, (item) => {
  const span: Record<string, Json> = {};
  for (const name of SPAN_NAMES) if (item[name] !== null) span[name] = item[name];
  const data = { path: item.path.path, timeOnPage: item.timeOnPage, span };
  return { kind: 'engagement', facts: { type: 'EngagementMeasured', data } };
});

const SPAN_NAMES = Object.keys(SPAN) as (keyof typeof SPAN)[];

/** Who a visitor is. */
export const readIdentification = itemReader(IDENTIFICATION, (data) => ({
  kind: 'identify',
  facts: { type: 'VisitorIdentified', data },
}));

/** A transparent GIF of one pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const NUMBERS: ReadonlySet<string> = new Set(
  Object.entries<Field>({ ...COMMON, ...PAGE_LEAVE })
    .filter(([, { kind }]) => kind === 'time' || kind === 'amount' || kind === 'count')
    .map(([name]) => name),
);

/** The event in the query string of an image: a page view of the page that shows it, unless it says something else. */
export function pixelItem({ query, headers }: FastifyRequest): Readonly<Record<string, unknown>> {
  const fields = Object.entries(query as Readonly<Record<string, unknown>>).map(([name, value]): [string, unknown] => [
    name,
    name === 'properties' ? jsonOf(value) : NUMBERS.has(name) ? numberOf(value) : value,
  ]);
  return { name: 'screen_view', path: headers.referer, ...Object.fromEntries(fields) };
}

export function sendPixel(reply: FastifyReply): void {
  void reply
    .type('image/gif')
    .header('cache-control', 'no-store')
    .header('cross-origin-resource-policy', 'cross-origin')
    .send(GIF);
}

/** What is no number stays as it is, and is refused with the name of its field. */
const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;

function jsonOf(value: unknown): unknown {
  try {
    if (typeof value !== 'string') return value;
    JSON.parse(value); // what is no JSON stays so
    return JSON.parse(withExactIntegers(value)) as unknown;
  } catch {
    return value;
  }
}
