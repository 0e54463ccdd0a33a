import { VITAL_METRICS } from './attributes';
import { MAX_REVISION } from './events/event-id';
import { CLICK_PARAMETER, MAX_ID, MAX_NAME, MAX_OBJECT, MAX_STACK_BYTES, MAX_TEXT, MAX_UTM } from './intake-limits';

/*
 * What clients send to the tracking host, each field once: the tracker checks and reads items by these tables, and the
 * reference describes them by the same. Fields that no table has are ignored, and null counts as absent.
 */

/** The form of a field, and what is kept of it: `max` cuts texts and bounds numbers; a longer id is refused. */
type Form =
  | { readonly kind: 'text' | 'lines' | 'url' | 'page' | 'path'; readonly max: number }
  | { readonly kind: 'amount' | 'count' | 'id'; readonly max: number }
  | { readonly kind: 'stack' | 'revision' | 'properties' | 'traits' }
  | { readonly kind: 'choice'; readonly values: readonly string[] };

/** The forms of fields that every item may have. */
type CommonForm = { readonly kind: 'visitor' | 'time' | 'anonymize' };

interface Description {
  /** The meaning of the field, as the reference says it. */
  readonly about: string;
  readonly isRequired?: true;
  /** True if no value of it has a wrong form: what can be read of it is kept. */
  readonly isLenient?: true;
}

export type OwnField = Form & Description;
export type ItemField = (Form | CommonForm) & Description;
export type ItemFields<Each = ItemField> = Readonly<Record<string, Each>>;

const text = (about: string, max: number = MAX_NAME) => ({ kind: 'text', about, max }) as const;
const amount = (about: string, max: number) => ({ kind: 'amount', about, max }) as const;
const count = (about: string, max = 1_000_000) => ({ kind: 'count', about, max }) as const;
const id = (about: string, max: number) => ({ kind: 'id', about, max }) as const;
const choice = <const Values extends readonly string[]>(about: string, values: Values) =>
  ({ kind: 'choice', about, values }) as const;
const required = <Given extends ItemField>(field: Given) => ({ ...field, isRequired: true }) as const;
const lenient = <Given extends ItemField>(field: Given) => ({ ...field, isLenient: true }) as const;

const DAY_S = 86_400;
const VISITOR_ID = `at most ${MAX_ID.visitor} of \`A-Z a-z 0-9 . _ -\``;
const OBJECT = `${MAX_OBJECT.keys} keys and ${MAX_OBJECT.bytes / 1024} KiB`;

const page = required({ kind: 'page', about: 'URL or pathname of the page', max: MAX_TEXT });
const path = { kind: 'path', about: 'URL or pathname of the page', max: MAX_TEXT } as const;
const revision = {
  kind: 'revision',
  about: 'Of reports with the same eventId in a session, the one with the greatest counts; 0 if absent',
} as const;

/** The fields that every item may have. */
export const COMMON = {
  eventId: id('An event with the id of an earlier one of 48 h is acknowledged and not stored again', MAX_ID.event),
  timestamp: { kind: 'time', about: 'Epoch milliseconds or ISO 8601 (UTC unless it names a zone); now if absent' },
  anonymousId: { kind: 'visitor', about: `Of the visitor: ${VISITOR_ID}` },
  sessionId: { kind: 'visitor', about: `Of the session: ${VISITOR_ID}` },
  profileId: id('Of the signed-in person', MAX_ID.profile),
  websiteId: id('The website of this item, with a key', MAX_ID.website),
  anonymizeVisitorIds: { kind: 'anonymize', about: 'False keeps raw ids, with a key' },
} as const satisfies ItemFields;

export const PAGE_VIEW = {
  path: { ...page, about: `${page.about}; \`${CLICK_PARAMETER}\` in it is kept as the click that led there` },
  title: text('Of the page', MAX_TEXT),
  referrer: text('Where the visitor came from', MAX_TEXT),
  language: text('Of the browser', 64),
  timezone: text('IANA name', 64),
  screen_resolution: text('As 1920x1080', 32),
  viewport_size: text('As 1200x800', 32),
  utm_source: text('Of the campaign', MAX_UTM),
  utm_medium: text('Of the campaign', MAX_UTM),
  utm_campaign: text('Of the campaign', MAX_UTM),
  utm_term: text('Of the campaign', MAX_UTM),
  utm_content: text('Of the campaign', MAX_UTM),
} as const satisfies ItemFields;

export const PAGE_LEAVE = {
  path: page,
  time_on_page: amount('Seconds', DAY_S),
  scroll_depth: amount('Percent', 100),
  interaction_count: count('Clicks, keys and copies'),
} as const satisfies ItemFields;

export const OUTGOING_LINK = {
  href: required({ kind: 'url', about: 'Where it leads', max: MAX_TEXT }),
  link_kind: lenient(choice('`download`, or `link`', ['download', 'link'])),
  text: text('Its text', MAX_TEXT),
  path,
} as const satisfies ItemFields;

export const CUSTOM_EVENT = {
  name: required(text('Of the event')),
  namespace: text('Groups names'),
  path,
  source: text('Where it comes from'),
  properties: lenient({ kind: 'properties', about: `At most ${OBJECT}` }),
} as const satisfies ItemFields;

export const WEB_VITAL = {
  path: page,
  metricName: required(choice('What was measured', VITAL_METRICS)),
  metricValue: required(amount('Milliseconds, but of CLS and FPS', DAY_S * 1000)),
  revision,
} as const satisfies ItemFields;

/** Pages throw anything: what is no text is kept as JSON. */
export const PAGE_ERROR = {
  path: page,
  message: lenient({ kind: 'lines', about: 'Of the error; what is no text is kept as JSON', max: MAX_TEXT }),
  stack: lenient({ kind: 'stack', about: `At most ${MAX_STACK_BYTES / 1024} KiB are kept` }),
  filename: lenient(text('Of the script', MAX_TEXT)),
  lineno: lenient(count('Line', 2 ** 31 - 1)),
  colno: lenient(count('Column', 2 ** 31 - 1)),
  errorType: lenient(text('As TypeError')),
} as const satisfies ItemFields;

/** The fields of an engagement span beside the time on the page, by the names that its event keeps. */
export const SPAN = {
  activeTime: amount('Seconds', DAY_S),
  timeToFirstInteraction: amount('Milliseconds', DAY_S * 1000),
  maxScrollDepth: amount('Percent', 100),
  pageIndex: count('Which page of the visit it was'),
  scrollCount: count('Scrolls'),
  clickCount: count('Clicks'),
  keyCount: count('Keys pressed'),
  interactionCount: count('Clicks, keys and copies; the sum of clicks, keys and scrolls if absent'),
  copyCount: count('Copies'),
  rageClickCount: count('Series of angry clicks'),
  deadClickCount: count('Clicks without effect'),
  formFieldCount: count('Fields of forms that had the focus'),
  formSubmitCount: count('Forms sent'),
  errorCount: count('Errors of scripts'),
  exitType: text('How the view ended'),
  rageClickTarget: text('What was clicked in anger most', MAX_TEXT),
  deadClickTarget: text('What was clicked without effect most', MAX_TEXT),
  lastFormField: text('The field where the form was left'),
} as const satisfies ItemFields;

export const ENGAGEMENT_SPAN = {
  path: page,
  timeOnPage: amount('Seconds', DAY_S),
  revision,
  ...SPAN,
} as const satisfies ItemFields;

export const IDENTIFICATION = {
  profileId: required(id('Of the person, as you know them', MAX_ID.profile)),
  traits: lenient({
    kind: 'traits',
    about: `Flat: texts, numbers and booleans; null removes one; at most ${OBJECT}`,
  }),
} as const satisfies ItemFields;

/**
 * The JSON schema of a field. TRICKY: nothing in the pattern of an id may match the same white space twice, or a body full
 * of it keeps the process busy for minutes.
 */
export function jsonSchemaOf(field: ItemField): object {
  const { isRequired } = field;
  const orNull = (type: string) => (isRequired ? type : [type, 'null']);
  switch (field.kind) {
    case 'text':
    case 'lines':
    case 'stack':
    case 'url':
    case 'page':
    case 'path':
      return { type: orNull('string') };
    case 'id':
      return { type: orNull('string'), maxLength: field.max };
    case 'visitor':
      return { type: orNull('string'), pattern: `^\\s*(?:[A-Za-z0-9._-]{1,${MAX_ID.visitor}}\\s*)?$` };
    case 'amount':
    case 'count':
      return isRequired ? { type: 'number', minimum: 0 } : { type: ['number', 'null'] };
    case 'choice':
      return isRequired ? { enum: field.values } : { type: ['string', 'null'] };
    case 'time':
      return { type: ['integer', 'string', 'null'] };
    case 'revision':
      return { type: ['integer', 'null'], minimum: 0, maximum: MAX_REVISION };
    case 'anonymize':
      return { enum: [true, false, 'auto', null] };
    case 'properties':
      return { type: ['object', 'null'], additionalProperties: true };
    case 'traits':
      return {
        type: ['object', 'null'],
        additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      };
  }
}
