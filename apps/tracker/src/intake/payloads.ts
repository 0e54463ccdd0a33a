import { Ajv, type ErrorObject } from 'ajv';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type FieldError, Problem } from '@ledgerline/contracts/errors/error-codes';
import type { PageLocation } from '@ledgerline/contracts/events/observed-events';
import { MAX_ID } from '@ledgerline/contracts/intake-limits';
import { type Json, isObject, keysOf } from '@ledgerline/contracts/json';
import {
  COMMON,
  CUSTOM_EVENT,
  ENGAGEMENT_SPAN,
  type ItemField,
  type ItemFields,
  IDENTIFICATION,
  OUTGOING_LINK,
  type OwnField,
  PAGE_ERROR,
  PAGE_LEAVE,
  PAGE_VIEW,
  SPAN,
  WEB_VITAL,
  jsonSchemaOf,
} from '@ledgerline/contracts/tracking-items';
import { takeClick } from '@ledgerline/domain/links/click-id';
import { normalHref, normalLanguage } from '@ledgerline/domain/normal-forms';
import { supportedZone } from '@ledgerline/domain/time/zones';
import { withExactIntegers } from '@ledgerline/platform/http/json-body';
import { cleanId, readReferrer, readUtm } from '../parse';
import type { IntakeContext, Payload } from './intake-context';
import { BadItem, type KeptFields, type RawItem, fieldReader, readTime } from './read-field';

/** Reads every item of the body; bad ones are put aside with their reasons. */
export function parseItems(context: IntakeContext): void {
  const { request } = context;
  const { maxItems } = request.route;
  const raw = [request.body].flat();
  if (raw.length > maxItems) throw tooMany(maxItems);
  raw.forEach((each, index) => {
    try {
      context.items.push({ index, payload: request.route.read(each), at: request.receivedAt, ...UNKNOWN });
    } catch (error) {
      if (!(error instanceof BadItem)) throw error;
      context.refused.push({ index, eventId: eventIdOf(each), code: 'VALIDATION_ERROR', errors: error.errors });
    }
  });
}

const UNKNOWN = {
  website: null,
  organizationId: '',
  visitorId: null,
  sessionId: null,
  profileHash: null,
  profile: null,
  event: null,
  identification: null,
};

const tooMany = (max: number) =>
  new Problem('VALIDATION_ERROR', `A request must not have more than ${max} items.`, [
    { field: 'body', message: `must not have more than ${max} items` },
  ]);

function eventIdOf(raw: unknown): string | null {
  const eventId = raw !== null && typeof raw === 'object' && 'eventId' in raw ? raw.eventId : null;
  return typeof eventId === 'string' && eventId.length <= MAX_ID.event ? eventId : null;
}

/**
 * Reads items of one type by the table of their fields: `build` makes the facts of what is kept of them. The reader
 * throws a BadItem with every field that has not its form, or with the first that cannot be read.
 */
function itemReader<Table extends ItemFields<OwnField>>(
  table: Table,
  build: (kept: KeptFields<Table>) => Pick<Payload, 'kind' | 'facts'>,
): (item: unknown) => Payload {
  const check = formCheck({ ...COMMON, ...table });
  const fields = Object.entries<OwnField>(table).map(([name, field]) => ({ name, read: fieldReader(field) }));
  return (item) => {
    const raw = check(item);
    const kept: Record<string, unknown> = {};
    for (const { name, read } of fields) kept[name] = read(raw[name], name, raw);
    const { kind, facts } = build(kept as KeptFields<Table>); // by the readers of just these fields
    return {
      kind,
      clientEventId: cleanId(raw.eventId, MAX_ID.event),
      revision: typeof kept.revision === 'number' ? kept.revision : null,
      at: readTime(raw.timestamp),
      websiteId: cleanId(raw.websiteId, MAX_ID.website),
      anonymousId: cleanId(raw.anonymousId, MAX_ID.visitor),
      profileId: cleanId(raw.profileId, MAX_ID.profile),
      sessionId: cleanId(raw.sessionId, MAX_ID.visitor),
      recognisable: raw.anonymizeVisitorIds === false,
      facts,
    };
  };
}

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, verbose: false });

/** Gives an item back that is an object with all required fields, each of its form. @throws BadItem */
function formCheck(table: ItemFields): (item: unknown) => RawItem {
  const fields = Object.entries(table);
  const validate = ajv.compile<RawItem>({
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, field.isLenient ? {} : jsonSchemaOf(field)])),
    required: fields.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
  });
  return (item) => {
    if (validate(item)) return item;
    throw new BadItem((validate.errors ?? []).map(fieldError));
  };
}

function fieldError({ instancePath, keyword, params, message }: ErrorObject): FieldError {
  const path = instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'required') return { field: String(params['missingProperty']), message: 'is missing' };
  if (keyword === 'enum') return { field: path, message: `must be one of ${namesIn(params)}` };
  if (keyword === 'pattern') return { field: path, message: `must be at most ${MAX_ID.visitor} of A-Z a-z 0-9 . _ -` };
  const reason = (message ?? 'is wrong').replace(/^must NOT have/, 'must not have').replace(/,null$/, '');
  return { field: path === '' ? 'item' : path, message: reason.replaceAll(',', ' or ') };
}

const namesIn = (params: object): string =>
  (params as { allowedValues: (string | boolean | null)[] }).allowedValues.filter((value) => value !== null).join(' ');

/**
 * Returns what browsers send to `/batch` and `/`: a page view, a leave, an outgoing link, or any other name: a custom
 * event.
 */
export function readBrowserEvent(item: unknown): Payload {
  const { type, name }: Readonly<Record<string, unknown>> = isObject(item) ? item : {};
  if (type === 'outgoing_link') return readOutgoingLink(item);
  if (name === 'screen_view') return readPageView(item);
  if (name === 'page_exit') return readPageLeave(item);
  return readCustomEvent(item);
}

/** A visitor saw a page. A detail that cannot be read is unknown. */
const readPageView = itemReader(PAGE_VIEW, (view) => {
  const { query } = view.path;
  const data = {
    ...view.path,
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
const readPageLeave = itemReader(PAGE_LEAVE, ({ path: page, time_on_page, scroll_depth, interaction_count }) => {
  const { host, path, query } = page;
  const amounts = { timeOnPage: time_on_page, scrollDepth: scroll_depth, interactions: interaction_count };
  const data = { host, path, query, ...amounts };
  return { kind: 'page_exit', facts: { type: 'PageLeft', data } };
});

/** A visitor followed a link that leads away from the website, or to a file. */
const readOutgoingLink = itemReader(OUTGOING_LINK, ({ href, link_kind, text, path: page }) => {
  const { host, path } = page ?? NOWHERE;
  const data = { href: normalHref(href), linkKind: link_kind ?? 'link', text, host, path };
  return { kind: 'outgoing_link', facts: { type: 'OutgoingLinkClicked', data } };
});

/** An event that a website's own code reports. */
export const readCustomEvent = itemReader(CUSTOM_EVENT, ({ name, namespace, path: page, properties, source }) => {
  const { host, path } = page ?? NOWHERE;
  const data = { name, namespace, host, path, properties, source };
  return { kind: name, facts: { type: 'CustomEventTracked', data } };
});

const NOWHERE: PageLocation = { host: null, path: null };

/** Reads how fast or steady a page was for a visitor. */
export const readVital = itemReader(WEB_VITAL, ({ path: { host, path }, metricName, metricValue }) => {
  const data = { host, path, metric: metricName, value: metricValue };
  return { kind: 'vital', facts: { type: 'VitalMeasured', data } };
});

/** A script of a page failed. */
export const readError = itemReader(PAGE_ERROR, ({ path: { host, path }, ...error }) => {
  const { errorType, stack } = error;
  const filename = error.filename && takeClick(error.filename).address; // of a script within the page: its address
  const message = error.message ?? errorType ?? 'Error without a message';
  const data = { host, path, message, stack, filename, line: error.lineno, column: error.colno, errorType };
  return { kind: 'error', facts: { type: 'ErrorRecorded', data } };
});

/** Reads what a visitor did on a page until its view ended: of the fields of a span, those that have a value. */
export const readEngagementSpan = itemReader(ENGAGEMENT_SPAN, (item) => {
  const span: Record<string, Json> = {};
  for (const name of SPAN_NAMES) if (item[name] !== null) span[name] = item[name];
  const { host, path } = item.path;
  const data = { host, path, timeOnPage: item.timeOnPage, span };
  return { kind: 'engagement', facts: { type: 'EngagementMeasured', data } };
});

const SPAN_NAMES = keysOf(SPAN);

/** Reads who a visitor is. */
export const readIdentification = itemReader(IDENTIFICATION, (data) => ({
  kind: 'identify',
  facts: { type: 'VisitorIdentified', data },
}));

/** A transparent GIF of one pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const NUMBERS: ReadonlySet<string> = new Set(
  Object.entries<ItemField>({ ...COMMON, ...PAGE_LEAVE })
    .filter(([, { kind }]) => kind === 'time' || kind === 'amount' || kind === 'count')
    .map(([name]) => name),
);

/** The event in the query string of an image: a page view of the page that shows it, unless it says something else. */
export function pixelItem({ query, headers }: FastifyRequest): Readonly<Record<string, unknown>> {
  const fields = Object.entries<unknown>(isObject(query) ? query : {}).map(([name, value]): [string, unknown] => [
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

/** Returns the number in a text; anything else stays as it is, and is refused with the name of its field. */
const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;

function jsonOf(value: unknown): unknown {
  try {
    if (typeof value !== 'string') return value;
    JSON.parse(value); // what is no JSON stays so
    return JSON.parse(withExactIntegers(value));
  } catch {
    return value;
  }
}
