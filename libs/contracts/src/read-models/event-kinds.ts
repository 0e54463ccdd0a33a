import { LINK_KIND, VITAL_METRICS } from '../attributes';
import type { ConditionKind } from '../definitions';
import type { EngagementMeasured, PageLocation, PageLeft, WebsiteObservedEvent } from '../events/observed-events';
import type { JsonObject } from '../json';
import type { ColumnType } from './read-model';

type EventType = WebsiteObservedEvent['type'];
type DataOf<Type extends EventType> = Extract<WebsiteObservedEvent, { type: Type }>['data'];

/**
 * A stored field of an event: a text by its id in the dictionary (0 = missing), a number (-1 = missing) or, in facts
 * alone, anything else.
 */
export interface EventField<in Data = never> {
  /** Its column in a table of facts; there a missing number is null. */
  readonly column: ColumnType;
  readonly isText: boolean;
  readonly of: (data: Data) => string | number | JsonObject | null | undefined;
}

type Fields<Data> = Readonly<Record<string, EventField<Data>>>;

interface Declared<Data> {
  /** The number that hits are stored with. */
  readonly number: number;
  /** The name by which rows call such an event that has no name of its own. */
  readonly label?: string;
  /** Hits are counted as these units, and meet conditions of this kind. */
  readonly unit?: string;
  readonly condition?: ConditionKind;
  /** Its hits in sessions have these, in this order. */
  readonly fields: Fields<Data>;
  /** The field of hits that names the event, as rows show it. */
  readonly named?: { readonly by: string; readonly as: string };
  /** Its units also have the event's id. */
  readonly hasId?: true;
  /** A client may send it again with a greater id, which replaces it. */
  readonly isRevised?: true;
  /** It reports a visit of a page: its hits begin with the fields of {@link report}. */
  readonly isReport?: true;
  /** A table has a row of each, with these columns beside those of every event. */
  readonly facts?: {
    readonly columns: Fields<Data>;
    /** Returns whether an event has a row; without it all have. */
    readonly isIn?: (data: Data) => boolean;
    /** Rows are counted as these units by their numbers, and meet conditions of this kind. */
    readonly unit?: string;
    readonly condition?: ConditionKind;
  };
}

const kind = <Type extends EventType>(type: Type) => {
  return <const Kind extends Declared<DataOf<Type>>>(declared: Kind) => ({ type, ...declared });
};

type Missing = null | undefined;
const text = <Data>(of: (data: Data) => string | Missing) => ({ column: 'integer', isText: true, of }) as const;
const numeric = <const Type extends ColumnType, Data>(column: Type, of: (data: Data) => number | Missing) =>
  ({ column, isText: false, of }) as const;
const plain = <const Type extends ColumnType, Data>(column: Type, of: (data: Data) => string | JsonObject | Missing) =>
  ({ column, isText: false, of }) as const;

/** The fields that every event of a page has. */
export const PAGE_FIELDS = {
  path: text(({ path }: PageLocation) => path),
  hostname: text(({ host }: PageLocation) => host),
};

interface Report {
  /** Seconds. */
  readonly time: number | null;
  /** Percent. */
  readonly scroll: number | null;
  readonly interactions: number | null;
}

/**
 * Returns what an event reports of the visit of a page: ms, hundredths of a percent, and how often the visitor did
 * something.
 */
const report = <Data>(of: (data: Data) => Report) => ({
  time_ms: numeric('integer?', (data: Data) => milliseconds(of(data).time)),
  scroll: numeric('integer?', (data: Data) => hundredths(of(data).scroll)),
  interactions: numeric('integer?', (data: Data) => whole(of(data).interactions)),
});

/**
 * Every kind of event of a website, once: hits of sessions, units and their columns in packed days, tables of facts, and
 * how all of these are read, compared, filtered and counted follow.
 */
export const EVENT_KINDS = {
  view: kind('PageViewed')({
    number: 1,
    label: 'screen_view',
    unit: 'views',
    condition: 'page',
    fields: { query_string: text(({ query }) => query) },
    facts: {
      columns: { link: text(({ click }) => click?.linkId), click: plain('text', ({ click }) => click?.id) },
      isIn: ({ click }) => click !== undefined,
      unit: 'link_clicks',
      condition: 'link_click',
    },
  }),
  leave: kind('PageLeft')({
    number: 2,
    label: 'page_exit',
    isReport: true,
    fields: report(({ timeOnPage: time, scrollDepth: scroll, interactions }: PageLeft['data']) => ({
      time,
      scroll,
      interactions,
    })),
  }),
  custom: kind('CustomEventTracked')({
    number: 3,
    unit: 'custom_events',
    condition: 'event',
    named: { by: 'name', as: 'name' },
    fields: {
      name: text(({ name }) => name),
      has_properties: numeric('smallint', ({ properties }) => (Object.keys(properties ?? {}).length > 0 ? 1 : 0)),
    },
    facts: {
      columns: {
        name: text(({ name }) => name),
        namespace: plain('text?', ({ namespace }) => namespace),
        properties: plain('jsonb?', ({ properties }) => properties),
      },
    },
  }),
  outgoing: kind('OutgoingLinkClicked')({
    number: 4,
    label: 'outgoing_link',
    unit: 'outgoing_links',
    condition: 'outgoing_link',
    hasId: true,
    named: { by: 'href', as: 'href' },
    fields: {
      href: text(({ href }) => href),
      label: text((data) => data.text),
      link_kind: numeric('smallint', ({ linkKind, own }) =>
        linkKind === 'link' ? LINK_KIND.link : own ? LINK_KIND.ownDownload : LINK_KIND.download,
      ),
    },
  }),
  error: kind('ErrorRecorded')({
    number: 5,
    label: 'error',
    unit: 'errors',
    condition: 'error',
    named: { by: 'message', as: 'message' },
    fields: { message: text(({ message }) => message), error_type: text(({ errorType }) => errorType) },
    facts: {
      columns: {
        message: text(({ message }) => message),
        error_type: text(({ errorType }) => errorType),
        filename: text(({ filename }) => filename),
        lineno: numeric('integer?', ({ line }) => line),
        colno: numeric('integer?', ({ column }) => column),
        stack: plain('text?', ({ stack }) => stack),
        // those of the error itself, for sessions without a page view
        country: text(({ country }) => country),
        device_type: text(({ device }) => device),
        browser_name: text(({ browser }) => browser),
        os_name: text(({ os }) => os),
      },
    },
  }),
  vital: kind('VitalMeasured')({
    number: 6,
    label: 'web_vital',
    isRevised: true,
    named: { by: 'metric_name', as: 'metric' },
    fields: { metric_name: text(({ metric }) => metric) },
    facts: {
      columns: {
        metric: numeric('smallint', ({ metric }) => VITAL_METRICS.indexOf(metric)),
        // millionths, so that sums are exact
        micros: numeric('bigint', ({ value }) => Math.round(value * 1_000_000)),
      },
      unit: 'vitals',
      condition: 'vital',
    },
  }),
  engagement: kind('EngagementMeasured')({
    number: 7,
    label: 'engagement',
    isRevised: true,
    isReport: true,
    fields: report(({ timeOnPage: time, span }: EngagementMeasured['data']) => ({
      time,
      scroll: measureIn(span, 'maxScrollDepth'),
      interactions: interactionsIn(span),
    })),
    facts: {
      columns: {
        time_ms: numeric('integer?', ({ timeOnPage }) => milliseconds(timeOnPage)),
        active_ms: numeric('integer?', ({ span }) => milliseconds(measureIn(span, 'activeTime'))),
        first_interaction_ms: numeric('integer?', ({ span }) => rounded(measureIn(span, 'timeToFirstInteraction'))),
        rage_clicks: numeric('integer', ({ span }) => measureIn(span, 'rageClickCount') ?? 0),
        dead_clicks: numeric('integer', ({ span }) => measureIn(span, 'deadClickCount') ?? 0),
        rage_target: text(({ span }) => textIn(span, 'rageClickTarget')),
        dead_target: text(({ span }) => textIn(span, 'deadClickTarget')),
        form_fields: numeric('integer', ({ span }) => measureIn(span, 'formFieldCount') ?? 0),
        form_submits: numeric('integer', ({ span }) => measureIn(span, 'formSubmitCount') ?? 0),
        last_field: text(({ span }) => textIn(span, 'lastFormField')),
      },
      unit: 'spans',
      condition: 'form_submit',
    },
  }),
} as const;

const MOST = 0x7fff_ffff;
const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value));
/** As an integer column holds it. */
const whole = (value: number | null): number | null =>
  value === null ? null : Math.min(Math.max(Math.round(value), 0), MOST);
const milliseconds = (seconds: number | null): number | null => whole(seconds === null ? null : seconds * 1000);
const hundredths = (percent: number | null): number | null =>
  percent === null ? null : Math.round(Math.min(Math.max(percent, 0), 100) * 100);

/** Reads a number of an engagement span by its name on the wire; null = it was not reported. */
function measureIn(span: JsonObject, name: string): number | null {
  const value = span[name];
  return typeof value === 'number' ? value : null;
}

function textIn(span: JsonObject, name: string): string | null {
  const value = span[name];
  return typeof value === 'string' ? value : null;
}

/** Without a sum of its interactions a span has those that it counts one by one. */
function interactionsIn(span: JsonObject): number | null {
  const sum = measureIn(span, 'interactionCount');
  if (sum !== null) return sum;
  const known = ['clickCount', 'keyCount', 'scrollCount'].flatMap((name) => measureIn(span, name) ?? []);
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}

export type EventKinds = typeof EVENT_KINDS;
type KindName = keyof EventKinds;
/** The units that are counted of hits. */
export type UnitOfHits = {
  [Name in KindName]: EventKinds[Name] extends { unit: infer U extends string } ? U : never;
}[KindName];

/** The units that are counted of rows of facts. */
export type FactUnit = {
  [Name in KindName]: EventKinds[Name] extends { facts: { unit: infer U extends string } } ? U : never;
}[KindName];

/** A kind as those see it who ask nothing of its own. */
export interface EventKind extends Declared<never> {
  readonly type: EventType;
  readonly unit?: UnitOfHits;
  readonly facts?: Declared<never>['facts'] & { readonly unit?: FactUnit };
}

export const KINDS: readonly EventKind[] = Object.values(EVENT_KINDS);

/** Returns whether a table of facts says more of the units than the hits of a session. */
export const isFactUnit = (unit: string): unit is FactUnit => KINDS.some(({ facts }) => facts?.unit === unit);

const BY_NUMBER: readonly (EventKind | undefined)[] = Array.from(
  { length: Math.max(...KINDS.map(({ number }) => number)) + 1 },
  (_, nth) => KINDS.find(({ number }) => number === nth),
);

export const kindOfHit = (number: number): EventKind | undefined => BY_NUMBER[number];

/** The number of values a hit has, by the number of its kind: from 1, as arrays of Postgres count. */
export const HIT_WIDTHS: readonly number[] = BY_NUMBER.slice(1).map((of) => Object.keys(of?.fields ?? {}).length);
export const widthOfHit = (number: number): number => HIT_WIDTHS[number - 1] ?? 0;

/** Returns which of the values of a hit a field is. @throws RangeError for one that the kind does not have */
export function placeOfField(name: KindName, field: string): number {
  const place = Object.keys(EVENT_KINDS[name].fields).indexOf(field);
  if (place < 0) throw new RangeError(`Events of the kind ${name} have no field ${field}.`);
  return place;
}

/**
 * Returns which of the values of a hit (from 1) a field is, by the number of its kind; null for kinds that do not have
 * it.
 */
export const placesOfField = (fieldOf: (of: EventKind) => string | undefined): readonly (number | null)[] =>
  BY_NUMBER.slice(1).map((of) => {
    const place = of ? Object.keys(of.fields).indexOf(fieldOf(of) ?? '') : -1;
    return place < 0 ? null : place + 1;
  });

/** Numbers of the kinds that are so. */
export const kindsWith = (isWanted: (of: EventKind) => boolean): readonly number[] =>
  KINDS.filter(isWanted).map(({ number }) => number);
