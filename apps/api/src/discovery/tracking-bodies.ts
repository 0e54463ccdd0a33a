import { MAX_ID, MAX_OBJECT, MAX_STACK_BYTES } from '@ledgerline/contracts/intake-limits';
import { MAX_REVISION } from '@ledgerline/contracts/events/event-id';
import { METRICS } from '@ledgerline/contracts/read-models/website-vitals';

const text = (description: string, maxLength?: number) => ({
  type: ['string', 'null'],
  description,
  ...(maxLength === undefined ? {} : { maxLength }),
});
const number = (description: string) => ({ type: ['number', 'null'], description });
const REVISION = {
  type: ['integer', 'null'],
  minimum: 0,
  maximum: MAX_REVISION,
  description: 'Of reports with the same eventId in a session, the one with the greatest counts',
};
const needed = <Schema extends { readonly type: readonly string[] }>(schema: Schema) => ({
  ...schema,
  type: schema.type.find((type) => type !== 'null'),
});

const kib = (bytes: number): string => `${bytes / 1024} KiB`;

const VISITOR_ID = `at most ${MAX_ID.visitor} of \`A-Z a-z 0-9 _ -\``;
const OBJECT = `${MAX_OBJECT.keys} keys and ${kib(MAX_OBJECT.bytes)}`;

/** The fields that every item may have; further ones are ignored. */
const COMMON = {
  eventId: text('An event with the id of an earlier one of 48 h is acknowledged and not stored again', MAX_ID.event),
  timestamp: {
    type: ['integer', 'string', 'null'],
    description: 'Epoch milliseconds or ISO 8601 (UTC unless it names a zone); now if absent',
  },
  anonymousId: text(`Of the visitor: ${VISITOR_ID}`),
  sessionId: text(`Of the session: ${VISITOR_ID}`),
  profileId: text('Of the signed-in person', MAX_ID.profile),
  websiteId: text('The website of this item, with a key', MAX_ID.website),
  anonymizeVisitorIds: { enum: [true, false, 'auto', null], description: 'False keeps raw ids, with a key' },
};

const PROPERTIES = { type: ['object', 'null'], additionalProperties: true };

const PATH = needed(text('URL or pathname of the page'));

/** By the names of their schemas: fields, and those that are required. */
const ITEMS = {
  CustomEvent: {
    description: 'An event of a name of your own',
    fields: {
      name: needed(text('Of the event')),
      namespace: text('Groups names'),
      path: text('Of the page'),
      source: text('Where it comes from'),
      properties: { ...PROPERTIES, description: `At most ${OBJECT}` },
    },
    required: ['name'],
  },
  BrowserEvent: {
    description:
      'A page view (`screen_view`), a leave (`page_exit`), an outgoing link (`type`), or an event of your own',
    fields: {
      type: text('`outgoing_link`, or absent'),
      name: text('`screen_view`, `page_exit` or a name of your own'),
      path: text('URL or pathname of the page; required but for outgoing links and events of your own'),
      href: text('Of an outgoing link: where it leads'),
      text: text('Of an outgoing link: its text'),
      link_kind: text('Of an outgoing link: `download`, or `link`'),
      title: text('Of the page'),
      referrer: text('Where the visitor came from'),
      language: text('Of the browser'),
      timezone: text('IANA name'),
      screen_resolution: text('As 1920x1080'),
      viewport_size: text('As 1200x800'),
      utm_source: text('Of the campaign'),
      utm_medium: text('Of the campaign'),
      utm_campaign: text('Of the campaign'),
      utm_term: text('Of the campaign'),
      utm_content: text('Of the campaign'),
      time_on_page: number('Of a leave: seconds'),
      scroll_depth: number('Of a leave: percent'),
      interaction_count: number('Of a leave'),
      namespace: text('Of an event of your own: groups names'),
      source: text('Of an event of your own: where it comes from'),
      properties: { ...PROPERTIES, description: `Of an event of your own: at most ${OBJECT}` },
    },
    required: [],
  },
  WebVital: {
    description: 'How fast or steady a page was',
    fields: {
      path: PATH,
      metricName: { enum: METRICS },
      metricValue: { type: 'number', minimum: 0 },
      revision: REVISION,
    },
    required: ['path', 'metricName', 'metricValue'],
  },
  PageError: {
    description: 'A script of a page failed',
    fields: {
      path: PATH,
      message: text('Of the error; what is no text is kept as JSON'),
      stack: text(`At most ${kib(MAX_STACK_BYTES)} are kept`),
      filename: text('Of the script'),
      lineno: number('Line'),
      colno: number('Column'),
      errorType: text('As TypeError'),
    },
    required: ['path'],
  },
  Identification: {
    description:
      'Who a visitor is; never changes a count. Of a page without `anonymousId` it is the visitor of that browser’s page views, of a server that of the `profileId`',
    fields: {
      profileId: needed(text('Of the person, as you know them', MAX_ID.profile)),
      traits: {
        type: ['object', 'null'],
        description: `Flat: texts, numbers and booleans; null removes one. At most ${OBJECT}`,
        additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      },
    },
    required: ['profileId'],
  },
  EngagementSpan: {
    description: 'What a visitor did on a page until its view ended',
    fields: {
      path: PATH,
      revision: REVISION,
      timeOnPage: number('Seconds'),
      activeTime: number('Seconds'),
      timeToFirstInteraction: number('Milliseconds'),
      maxScrollDepth: number('Percent'),
      ...Object.fromEntries(
        ['pageIndex', 'scrollCount', 'clickCount', 'keyCount', 'interactionCount', 'copyCount', 'rageClickCount']
          .concat(['deadClickCount', 'formFieldCount', 'formSubmitCount', 'errorCount'])
          .map((name) => [name, number('Whole number')]),
      ),
      exitType: text('How the view ended'),
      rageClickTarget: text('What was clicked in anger most'),
      deadClickTarget: text('What was clicked without effect most'),
      lastFormField: text('The field where the form was left'),
    },
    required: ['path'],
  },
};

export type ItemName = keyof typeof ITEMS;

const fieldErrors = {
  type: 'array',
  items: {
    type: 'object',
    properties: { index: { type: 'integer' }, field: { type: 'string' }, message: { type: 'string' } },
    required: ['field', 'message'],
  },
};

/** The body of every error of the tracking host. */
const PROBLEM = {
  type: 'object',
  description: 'The body of every error of the tracking host',
  properties: {
    success: { type: 'boolean', enum: [false] },
    status: { type: 'string', enum: ['error'] },
    error: { type: 'string' },
    message: { type: 'string', description: 'The same text' },
    code: { type: 'string' },
    requestId: { type: 'string' },
    errors: fieldErrors,
  },
  required: ['success', 'status', 'error', 'message', 'code', 'requestId'],
};

/** The schemas of the tracking host. */
export const TRACKING_SCHEMAS: Readonly<Record<string, object>> = {
  TrackingProblem: PROBLEM,
  TrackingErrors: fieldErrors,
  ...Object.fromEntries(
    Object.entries(ITEMS).map(([name, { description, fields, required }]) => [
      name,
      { type: 'object', description, properties: { ...fields, ...COMMON }, required, additionalProperties: true },
    ]),
  ),
};
