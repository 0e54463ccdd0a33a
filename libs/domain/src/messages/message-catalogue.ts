import { REPORT_PERIODS } from '@ledgerline/contracts/events/report.events';
import { ACTOR_TYPES, AUDIT_ACTIONS, AUDIT_TARGET_TYPES } from '../audit/audited-events';
import { NAMED_TYPES, type NamedType, type DestinationMessage, OBSERVED_TYPES, type ObservedType } from './message';

/** JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A type of messages: when it is sent, what it holds and how it looks. Further members may be added to its data. */
export interface MessageTypeDefinition {
  readonly type: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example: DestinationMessage;
}

const text = { type: 'string' };
const nullable = (schema: JsonSchema) => ({ anyOf: [schema, { type: 'null' }] });
const whole = { type: 'integer', minimum: 0 };
const time = { type: 'string', format: 'date-time' };

const object = (properties: JsonSchema, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const schemaOf = (type: string, data: JsonSchema, optional: readonly string[] = []): JsonSchema =>
  object({
    type: { const: type },
    timestamp: { ...time, description: 'When it happened' },
    data: object({ id: { ...text, description: 'Of the event it rests on' }, organizationId: text, ...data }, optional),
  });

const TIMESTAMP = '2026-11-20T10:00:00.000Z';
const ORGANIZATION = { organizationId: 'org_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' };
const EVENT = { id: '01KAGZ5Q3M8W7T4R2Y6N9B1C0D', ...ORGANIZATION };
const MONITOR = { monitorId: 'mon_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E', name: 'Shop' };
const AT = { position: { partition: 3, offset: 81_204 } };
const ITEM = { at: TIMESTAMP, country: 'DE', device: 'mobile', browser: 'Safari', os: 'iOS' };

const position = {
  ...nullable(object({ partition: whole, offset: whole })),
  description: 'In the intake log; null = it rests on the clock',
};
const AT_EVENT = object({ partition: whole, offset: whole });
const DAY = { ...text, pattern: String.raw`^\d{4}-\d{2}-\d{2}$` };
const REPORTED = ['visitors', 'visitorsBefore', 'pageviews', 'pageviewsBefore'];
const ofMonitor = { monitorId: text, name: text, position };
const itemOf = (more: JsonSchema) => ({
  type: 'array',
  maxItems: 100,
  description: 'The first of them, as many as 20 KB hold',
  items: object({
    at: time,
    country: nullable(text),
    device: text,
    browser: nullable(text),
    os: nullable(text),
    ...more,
  }),
});
const count = { type: 'integer', minimum: 1 };

interface Observed {
  readonly description: string;
  readonly data: JsonSchema;
  /** Of the data, by name. */
  readonly optional?: readonly string[];
  readonly example: Readonly<Record<string, unknown>>;
}

const decision = {
  alertId: text,
  websiteId: text,
  linkId: text,
  name: text,
  position,
  rule: { ...text, description: 'What it decides by, in a sentence' },
  from: { ...time, description: 'When the window begins' },
  to: { ...time, description: 'When it ends' },
  figure: nullable({ type: 'number' }),
  usual: {
    ...nullable({ type: 'number' }),
    description: 'The median of the same windows of the last four weeks, where it is compared with it',
  },
  asOf: { ...time, description: 'Everything that had arrived by then was counted' },
  decisions: { ...count, description: 'More than one: as many were made late, and this is the last of them' },
};
/** An alert is about one of both. */
const OF_ALERT = ['websiteId', 'linkId'];
const DECISION = {
  alertId: 'alr_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  websiteId: 'site_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  name: 'Fewer visitors',
  rule: 'Visitors of the last hour more than 50 % below the usual',
  ...AT,
  from: '2026-11-20T08:58:00.000Z',
  to: '2026-11-20T09:58:00.000Z',
  figure: 12,
  usual: 40.5,
  asOf: TIMESTAMP,
  decisions: 1,
};

const OBSERVED: { readonly [Type in ObservedType | NamedType]: Observed } = {
  'monitor.down': {
    description: 'The second check in a row failed; after the first one the next is made within a minute',
    data: {
      ...ofMonitor,
      since: time,
      status: nullable({ type: 'integer' }),
      failure: nullable(text),
      detail: nullable(text),
    },
    example: {
      ...MONITOR,
      ...AT,
      since: '2026-11-20T09:59:30.000Z',
      status: 503,
      failure: 'status',
      detail: 'The status was 503, not 200 to 299.',
    },
  },
  'monitor.up': {
    description: 'A check is up after the monitor was down, or not known',
    data: { ...ofMonitor, since: { ...nullable(time), description: 'Since when it was down' } },
    example: { ...MONITOR, ...AT, since: '2026-11-20T09:59:30.000Z' },
  },
  'monitor.unknown': {
    description:
      'Nothing is known of a monitor that was down: it is under maintenance, paused or not checked; or it fails while more than half of all hosts do (`own_network`)',
    data: { ...ofMonitor, why: { enum: ['maintenance', 'pause', 'gap', 'own_network'] } },
    example: { ...MONITOR, ...AT, why: 'maintenance' },
  },
  'monitor.warning': {
    description:
      'Two answers in a row were slow, once until one is not; or the certificate expires soon, once for each',
    data: { ...ofMonitor, warning: { enum: ['slow', 'certificate'] }, detail: nullable(text) },
    example: { ...MONITOR, ...AT, warning: 'certificate', detail: 'The certificate expires on 2026-12-04.' },
  },
  'link.clicked': {
    description: 'Clicks of a link, collected for 10 seconds',
    data: { linkId: text, name: text, position, count, items: itemOf({ referrer: nullable(text) }) },
    example: {
      linkId: 'link_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
      name: 'Autumn sale',
      ...AT,
      count: 1,
      items: [{ ...ITEM, referrer: 'news.example/offers' }],
    },
  },
  'goal.reached': {
    description: 'Page views, custom events or outgoing links that reached a goal, collected for 10 seconds',
    data: { websiteId: text, goalId: text, name: text, position, count, items: itemOf({ path: nullable(text) }) },
    example: {
      websiteId: 'site_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
      goalId: 'goal_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
      name: 'Orders',
      ...AT,
      count: 1,
      items: [{ ...ITEM, path: '/thank-you' }],
    },
  },
  'alert.fired': {
    description: 'A window of an alert is as its rule says; to the destinations that it names',
    data: decision,
    optional: OF_ALERT,
    example: DECISION,
  },
  'alert.over': {
    description:
      'A window is not so any more; `changed`: the rule that fired is another one by now, or does not decide any more',
    data: { ...decision, why: nullable({ enum: ['changed'] }) },
    optional: OF_ALERT,
    example: { ...DECISION, figure: 38, why: null },
  },
  'alert.blind': {
    description:
      'Nothing can be seen of a window: what arrived was not counted in time (`behind`), clicks wait on the disk of a tracker (`spooled`), or no tracker was there (`no_tracker`)',
    data: { ...decision, why: nullable({ enum: ['behind', 'spooled', 'no_tracker'] }) },
    optional: OF_ALERT,
    example: { ...DECISION, figure: null, usual: null, why: 'no_tracker' },
  },
  'alert.seeing': {
    description: 'A window can be seen again',
    data: decision,
    optional: OF_ALERT,
    example: DECISION,
  },
  'report.ready': {
    description:
      'A report of a week or month is ready, for the destinations that it names; a mail is the report itself',
    data: {
      reportId: text,
      name: text,
      position: AT_EVENT,
      period: { enum: REPORT_PERIODS },
      timezone: text,
      startDate: DAY,
      endDate: DAY,
      asOf: { ...time, description: 'Everything that had arrived by then is in it' },
      websites: {
        type: 'array',
        items: object({
          websiteId: text,
          name: text,
          ...Object.fromEntries(REPORTED.map((figure) => [figure, whole])),
        }),
      },
      gaps: {
        type: 'array',
        description: 'Websites of which events are missing (`behind`), or that could not be asked (`failed`)',
        items: object({ websiteId: text, why: { enum: ['behind', 'failed'] } }),
      },
    },
    example: {
      reportId: 'rpt_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
      name: 'Weekly figures',
      ...AT,
      period: 'week',
      timezone: 'Europe/Berlin',
      startDate: '2026-11-09',
      endDate: '2026-11-15',
      asOf: '2026-11-16T07:00:00.000Z',
      websites: [
        {
          websiteId: 'site_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
          name: 'Shop',
          visitors: 1_204,
          visitorsBefore: 1_120,
          pageviews: 5_310,
          pageviewsBefore: 5_002,
        },
      ],
      gaps: [],
    },
  },
};

const observedTypes = [...OBSERVED_TYPES, ...NAMED_TYPES].map((type): MessageTypeDefinition => {
  const { description, data, optional, example } = OBSERVED[type];
  return {
    type,
    description,
    schema: schemaOf(type, data, optional),
    example: { type, timestamp: TIMESTAMP, data: { ...EVENT, ...example } },
  };
});

const ABOUT = ['websiteId', 'linkId', 'monitorId'] as const;

const OF_ENTRY = {
  ...Object.fromEntries(ABOUT.map((name) => [name, text])),
  position: { ...whole, description: 'Of the entry in the audit log' },
  actor: object({ type: { enum: ACTOR_TYPES }, id: text }),
  target: object({ type: { enum: AUDIT_TARGET_TYPES }, id: text, name: nullable(text) }),
  changes: {
    type: 'object',
    additionalProperties: object({ before: {}, after: {} }, ['before', 'after']),
  },
};

/** Where the target of an action is not what it begins with. */
const TARGETS: Readonly<Record<string, string>> = {
  'read_models.replaced': 'organization',
  'member.invited': 'invitation',
  'member.invitation_revoked': 'invitation',
  'subject.erased': 'person',
  'hits.expired': 'website',
};

const decidedTypes = [...new Set(AUDIT_ACTIONS)].map((type): MessageTypeDefinition => {
  const [subject = ''] = type.split('.');
  const target = { type: TARGETS[type] ?? subject, id: '01KAJ4Q7ZJ8M3V5T9X2C6D0B1F', name: 'Example' };
  const data = {
    id: '0198c4f2-6f0e-5d7e-9a53-2d3f6a1c8e94',
    ...ORGANIZATION,
    position: 17,
    actor: { type: 'user', id: 'usr_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' },
    target,
    changes: {},
  };
  return {
    type,
    description: `The action \`${type}\` of the audit log`,
    schema: schemaOf(type, OF_ENTRY, ABOUT),
    example: { type, timestamp: TIMESTAMP, data },
  };
});

/** Everything that webhooks can be sent. */
export const MESSAGE_CATALOGUE: readonly MessageTypeDefinition[] = [...observedTypes, ...decidedTypes];
