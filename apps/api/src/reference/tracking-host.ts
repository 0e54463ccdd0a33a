import type { OpenAPIObject } from '@nestjs/swagger';
import { CLICK_PARAMETER, MAX_ERRORS_BODY, MAX_ITEMS } from '@ledgerline/contracts/intake-limits';
import { BODY_LIMIT } from '@ledgerline/platform/http/host-adapter';
import { exampleId } from './document';
import { RETRY_AFTER_HEADER, ON_EVERY_RESPONSE, LOG_POSITION_HEADER } from './responses';
import { TRACKING_SCHEMAS, type ItemName } from './tracking-bodies';

const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ 'application/json': { schema } });
const word = (...values: readonly string[]) => ({ type: 'string', enum: values });

const WEBSITE = {
  name: 'client_id',
  in: 'query',
  description: 'The website; also `website_id`, or the header `databuddy-client-id`. Not needed with a key',
  example: exampleId('site'),
  schema: { type: 'string' },
};

const SENT_AT = {
  name: 'sent_at',
  in: 'query',
  description:
    'When a browser sent this, epoch ms by the clock of its timestamps: a difference of a minute or more is taken off them',
  schema: { type: 'integer' },
};

const CLOCK_AHEAD = {
  name: 'clock_ahead',
  in: 'query',
  description:
    'With `sent_at`: the difference that the first answer of the page load named, which is taken off instead',
  schema: { type: 'integer' },
};

const CLOCK = { type: 'integer', description: 'What was taken off the timestamps, ms; of a request with `sent_at`' };

const PAGE = { anonymousId: 'ada', sessionId: 's1', path: 'https://example.com/pricing' };

interface TrackingRoute {
  readonly path: string;
  readonly summary: string;
  readonly item: ItemName;
  /** Items of a request; one alone where there is none. */
  readonly max?: number;
  readonly example: object;
  readonly answer: Readonly<Record<string, object>>;
}

const counted = (type: string) => ({
  status: word('success'),
  type: word(type),
  count: { type: 'integer', description: 'How many were accepted' },
});

/** The result of one item of a batch. */
const RESULT = {
  type: 'object',
  properties: {
    status: word('success', 'error'),
    type: { ...word('track', 'outgoing_link', 'identify'), description: 'Of an item that was accepted' },
    eventId: { type: ['string', 'null'], description: 'As sent' },
    message: { type: 'string', description: 'Why an item was not accepted' },
    code: { type: 'string' },
    errors: refer('TrackingErrors'),
  },
  required: ['status'],
};

const ROUTES: readonly TrackingRoute[] = [
  {
    path: '/track',
    summary: 'Send events of your own, from servers or browsers',
    item: 'CustomEvent',
    max: MAX_ITEMS['/track'],
    example: { name: 'purchase', properties: { amount: 49 } },
    answer: counted('custom_event'),
  },
  {
    path: '/batch',
    summary: 'Send page views, leaves, outgoing links and events',
    item: 'BrowserEvent',
    max: MAX_ITEMS['/batch'],
    example: { name: 'screen_view', ...PAGE },
    answer: {
      status: word('success', 'partial'),
      batch: { type: 'boolean' },
      processed: { type: 'integer' },
      results: { type: 'array', description: 'One for each item, in order', items: RESULT },
    },
  },
  {
    path: '/',
    summary: 'Send one page view, leave, outgoing link or event',
    item: 'BrowserEvent',
    example: { type: 'outgoing_link', href: 'https://example.org/', ...PAGE },
    answer: { status: word('success'), type: word('track', 'outgoing_link') },
  },
  {
    path: '/identify',
    summary: 'Say who a visitor is',
    item: 'Identification',
    example: { profileId: 'customer-7', anonymousId: 'ada', traits: { name: 'Ada', plan: 'team' } },
    answer: { status: word('success'), type: word('identify') },
  },
  {
    path: '/vitals',
    summary: 'Send web vitals',
    item: 'WebVital',
    max: MAX_ITEMS['/vitals'],
    example: { ...PAGE, metricName: 'LCP', metricValue: 1200 },
    answer: counted('vitals'),
  },
  {
    path: '/errors',
    summary: `Send errors of scripts; at most ${MAX_ERRORS_BODY / 1024} KiB`,
    item: 'PageError',
    max: MAX_ITEMS['/errors'],
    example: { ...PAGE, message: 'x is not a function', errorType: 'TypeError' },
    answer: counted('errors'),
  },
  {
    path: '/engagement',
    summary: 'Send what visitors did on a page',
    item: 'EngagementSpan',
    max: MAX_ITEMS['/engagement'],
    example: { ...PAGE, timeOnPage: 60, activeTime: 45, clickCount: 3 },
    answer: counted('engagement'),
  },
];

/** Adds the routes of the tracking host, which are on a server of their own. */
export function withTrackingHost(document: OpenAPIObject, url: string): OpenAPIObject {
  const servers = [{ url, description: 'The tracking host' }];
  const added: Record<string, object> = {
    '/{slug}': { get: { ...FOLLOW, servers } },
    '/tracker.js': { get: { ...TRACKER_SCRIPT, servers } },
    '/px.jpg': { get: { ...PIXEL, servers } },
  };
  for (const route of ROUTES)
    added[route.path] = { ...document.paths[route.path], post: { ...operationOf(route), servers } };
  const schemas = { ...document.components?.schemas, ...TRACKING_SCHEMAS };
  return { ...document, paths: { ...document.paths, ...added }, components: { ...document.components, schemas } };
}

function operationOf({ path, summary, item, max, example, answer }: TrackingRoute) {
  const list = { type: 'array', items: refer(item), minItems: 1, maxItems: max };
  const schema = max === undefined ? refer(item) : { oneOf: [list, refer(item)] };
  const properties = { ...answer, clockAhead: CLOCK, errors: refer('TrackingErrors') };
  return {
    tags: ['Tracking'],
    operationId: `tracking_${path.slice(1) || 'one'}`,
    summary,
    description: KEYS,
    security: [{}, { apiKey: ['track:events'] }, { bearer: ['track:events'] }],
    parameters: [WEBSITE, SENT_AT, CLOCK_AHEAD],
    requestBody: { required: true, content: { 'application/json': { schema, example: max ? [example] : example } } },
    responses: {
      200: {
        description: 'Durable; items that were not accepted are listed',
        headers: { ...ON_EVERY_RESPONSE, ...LOG_POSITION_HEADER },
        content: json({ type: 'object', properties, required: Object.keys(answer) }),
      },
      204: { description: 'A bot, which is recorded and not counted' },
      ...refusals(400, 401, 403, 404, 413, 429, 503),
    },
  };
}

const KEYS =
  'For keys with `track:events`, and for browsers on pages of the website (`Origin`). The body may come as `text/plain`, as beacons send it.';

const WHEN: Readonly<Record<number, string>> = {
  400: 'malformed, or an unknown website',
  401: 'neither a key nor a website',
  403: 'the key lacks `track:events`, or the origin is not of the website',
  404: 'an unknown website, with a key',
  413: `the body is over ${BODY_LIMIT / 2 ** 20} MiB`,
  429: 'too many requests',
  503: 'nothing was accepted; send it again',
};

const refusals = (...statuses: readonly number[]) =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: WHEN[status],
        headers: { ...ON_EVERY_RESPONSE, ...RETRY_AFTER_HEADER },
        content: json(refer('TrackingProblem')),
      },
    ]),
  );

const FILE = { schema: { type: 'string' } };

const page = (description: string) => ({ description, content: { 'text/html': FILE } });

const FOLLOW = {
  tags: ['Tracking'],
  operationId: 'tracking_follow',
  summary: 'Follow a short link; with `.svg` or `.png` behind the slug, its QR code',
  description: 'Public.',
  security: [{}],
  parameters: [{ name: 'slug', in: 'path', required: true, example: 'spring', schema: { type: 'string' } }],
  responses: {
    200: {
      description: 'A page with a preview, for bots that show one; or the QR code',
      content: { 'text/html': FILE, 'image/svg+xml': FILE, 'image/png': FILE },
    },
    302: {
      description: `To the destination; \`${CLICK_PARAMETER}\` names the click to a website of the organization`,
      headers: { Location: { schema: { type: 'string', format: 'uri' } } },
    },
    404: page('No such link'),
    410: page('The link has expired'),
    429: page('Too many requests for unknown links'),
    503: page('The store cannot be asked; try again'),
  },
};

const PIXEL = {
  tags: ['Tracking'],
  operationId: 'tracking_pixel',
  summary: 'Send one event as an image, for pages without scripts',
  description: 'Public. The fields of a `BrowserEvent` are in the query.',
  security: [{}],
  parameters: [
    WEBSITE,
    { name: 'name', in: 'query', example: 'screen_view', schema: { type: 'string' } },
    { name: 'path', in: 'query', example: '/pricing', schema: { type: 'string' } },
  ],
  responses: {
    200: { description: 'An image of one pixel', content: { 'image/gif': FILE } },
    ...refusals(400, 403, 429, 503),
  },
};

const TRACKER_SCRIPT = {
  tags: ['Tracking'],
  operationId: 'tracking_script',
  summary: 'The script for the pages of a website',
  description: 'Public.',
  security: [{}],
  responses: { 200: { description: 'The script', content: { 'text/javascript': FILE } } },
};
