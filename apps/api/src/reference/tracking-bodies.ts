import {
  COMMON,
  CUSTOM_EVENT,
  ENGAGEMENT_SPAN,
  IDENTIFICATION,
  OUTGOING_LINK,
  PAGE_ERROR,
  PAGE_LEAVE,
  PAGE_VIEW,
  jsonSchemaOf,
  WEB_VITAL,
  type ItemField,
  type ItemFields,
} from '@ledgerline/contracts/tracking-items';

/** Fields of one type of items among others: what they mean is said of that type, and none is required. */
const fieldsOf = (type: string, fields: ItemFields): ItemFields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      {
        ...field,
        isRequired: undefined,
        about: `Of ${type}: ${field.about.charAt(0).toLowerCase()}${field.about.slice(1)}`,
      },
    ]),
  );

/** The body that browsers send: items of four types. */
const BROWSER_EVENT: ItemFields = {
  type: { kind: 'choice', about: '`outgoing_link`, or absent', values: ['outgoing_link'] },
  ...PAGE_VIEW,
  ...fieldsOf('a leave', PAGE_LEAVE),
  ...fieldsOf('an outgoing link', OUTGOING_LINK),
  ...fieldsOf('an event of your own', CUSTOM_EVENT),
  name: { kind: 'text', about: '`screen_view`, `page_exit` or a name of your own', max: CUSTOM_EVENT.name.max },
  path: {
    ...OUTGOING_LINK.path,
    about: 'URL or pathname of the page; required but for outgoing links and events of your own',
  },
};

/** The items of the tracking host by the names of their schemas: what they are, and their fields. */
const ITEMS = {
  CustomEvent: ['An event of a name of your own', CUSTOM_EVENT],
  BrowserEvent: [
    'A page view (`screen_view`), a leave (`page_exit`), an outgoing link (`type`), or an event of your own',
    BROWSER_EVENT,
  ],
  WebVital: ['How fast or steady a page was', WEB_VITAL],
  PageError: ['A script of a page failed', PAGE_ERROR],
  Identification: [
    'Who a visitor is; never changes a count. Of a page without `anonymousId` it is the visitor of that browser’s page views, of a server that of the `profileId`',
    IDENTIFICATION,
  ],
  EngagementSpan: ['What a visitor did on a page until its view ended', ENGAGEMENT_SPAN],
} as const satisfies Readonly<Record<string, readonly [description: string, fields: ItemFields]>>;

export type ItemName = keyof typeof ITEMS;

/** Further fields are ignored. */
const itemSchema = (description: string, fields: ItemFields) => ({
  type: 'object',
  description,
  properties: Object.fromEntries(
    Object.entries({ ...COMMON, ...fields }).map(([name, field]) => [
      name,
      { ...jsonSchemaOf(field), description: meaningOf(field) },
    ]),
  ),
  required: Object.keys(fields).filter((name) => fields[name]?.isRequired),
  additionalProperties: true,
});

/** Returns what a field means, and how long a text may be before it is cut. */
const meaningOf = (field: ItemField): string =>
  CUT.has(field.kind) && 'max' in field ? `${field.about}; cut to ${field.max} characters` : field.about;

const CUT: ReadonlySet<ItemField['kind']> = new Set(['text', 'lines', 'url', 'page', 'path']);

const fieldErrors = {
  type: 'array',
  items: {
    type: 'object',
    properties: { index: { type: 'integer' }, field: { type: 'string' }, message: { type: 'string' } },
    required: ['field', 'message'],
  },
};

/** The schemas of the tracking host. */
export const TRACKING_SCHEMAS: Readonly<Record<string, object>> = {
  TrackingProblem: {
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
  },
  TrackingErrors: fieldErrors,
  ...Object.fromEntries(Object.entries(ITEMS).map(([name, [about, fields]]) => [name, itemSchema(about, fields)])),
};
