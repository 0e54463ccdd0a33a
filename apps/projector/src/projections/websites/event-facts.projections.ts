import type { EngagementMeasured, WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import {
  METRICS,
  customEvents,
  engagementSpans,
  errors,
  linkVisits,
  vitals,
} from '@ledgerline/contracts/read-models/website-facts';
import type { FactUnit } from '@ledgerline/domain/counting/changed-sessions';
import type { PageReport } from '@ledgerline/domain/sessions/local-session';
import type { Value } from '@ledgerline/platform/database/read-model-rows';
import { jsonText, withoutNul } from '@ledgerline/platform/database/sql';
import type { Intern } from './dictionary';

export type FactColumns = Readonly<Record<string, Value>>;

/** A table with one row per event of a type: website, at, id, visitor, session, and the columns declared here. */
interface EventFacts<Event extends WebsiteObservedEvent = WebsiteObservedEvent> {
  readonly builds: ReadModel;
  readonly kind: number;
  /** Undefined of an event that has no row. */
  readonly columnsOf: (event: Event, id: Intern) => FactColumns | undefined;
  /** The columns that hold text ids. */
  readonly texts: readonly string[];
  /** What is counted of them, beside their hits. */
  readonly unit?: FactUnit;
}

type Facts = {
  readonly [Type in WebsiteObservedEvent['type']]?: EventFacts<Extract<WebsiteObservedEvent, { type: Type }>>;
};

/** The events that have a row of their own beside their hit in a session. */
const FACTS: Facts = {
  PageViewed: {
    builds: linkVisits,
    kind: HIT.view,
    columnsOf: ({ data: { path, click } }, id) => click && { path: id(path), link: id(click.linkId), click: click.id },
    texts: ['path', 'link'],
  },
  ErrorRecorded: {
    builds: errors,
    kind: HIT.error,
    columnsOf: ({ data }, id) => ({
      path: id(data.path),
      message: id(data.message),
      error_type: id(data.errorType),
      filename: id(data.filename),
      lineno: data.line,
      colno: data.column,
      stack: data.stack === null ? null : withoutNul(data.stack),
      country: id(data.country),
      device_type: id(data.device),
      browser_name: id(data.browser),
      os_name: id(data.os),
    }),
    texts: ['path', 'message', 'error_type', 'filename', 'country', 'device_type', 'browser_name', 'os_name'],
  },
  CustomEventTracked: {
    builds: customEvents,
    kind: HIT.custom,
    columnsOf: ({ data }, id) => ({
      name: id(data.name),
      namespace: data.namespace === null ? null : withoutNul(data.namespace),
      path: id(data.path),
      properties: data.properties === null ? null : jsonText(data.properties),
    }),
    texts: ['name', 'path'],
  },
  VitalMeasured: {
    builds: vitals,
    kind: HIT.vital,
    columnsOf: ({ data }, id) => ({
      path: id(data.path),
      metric: METRICS.indexOf(data.metric),
      micros: Math.round(data.value * 1_000_000),
    }),
    texts: ['path'],
    unit: 'vitals',
  },
  EngagementMeasured: {
    builds: engagementSpans,
    kind: HIT.engagement,
    columnsOf: ({ data: { path, timeOnPage, span } }, id) => ({
      path: id(path),
      time_ms: wholeMilliseconds(timeOnPage),
      active_ms: wholeMilliseconds(measureIn(span, 'activeTime')),
      first_interaction_ms: wholeNumber(measureIn(span, 'timeToFirstInteraction')),
      rage_clicks: countIn(span, 'rageClickCount'),
      dead_clicks: countIn(span, 'deadClickCount'),
      rage_target: id(textIn(span, 'rageClickTarget')),
      dead_target: id(textIn(span, 'deadClickTarget')),
      form_fields: countIn(span, 'formFieldCount'),
      form_submits: countIn(span, 'formSubmitCount'),
      last_field: id(textIn(span, 'lastFormField')),
    }),
    texts: ['path', 'rage_target', 'dead_target', 'last_field'],
    unit: 'spans',
  },
};

const wholeNumber = (value: number | null) => (value === null ? null : Math.round(value));

/** The entry of a type takes the events of that type, which the compiler cannot infer from a union. */
export const factsOf = (type: WebsiteObservedEvent['type']): EventFacts | undefined =>
  FACTS[type] as EventFacts | undefined;

export const EVENT_FACTS: readonly EventFacts[] = Object.values(FACTS) as readonly unknown[] as readonly EventFacts[]; // as factsOf

/** A measure of a span by its name on the wire; null = not reported. */
function measureIn(span: JsonObject, name: string): number | null {
  const value = span[name];
  return typeof value === 'number' ? value : null;
}

const countIn = (span: JsonObject, name: string): number => measureIn(span, name) ?? 0;

function textIn(span: JsonObject, name: string): string | null {
  const value = span[name];
  return typeof value === 'string' ? value : null;
}

/** Without a sum of its interactions a span has those that it counts one by one. */
export function reportIn({ data: { span } }: EngagementMeasured): PageReport {
  const each = ['clickCount', 'keyCount', 'scrollCount'].map((name) => measureIn(span, name));
  const known = each.filter((count) => count !== null);
  const sum = known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
  return { scrollDepth: measureIn(span, 'maxScrollDepth'), interactions: measureIn(span, 'interactionCount') ?? sum };
}

/** As an integer column holds them. */
export const wholeMilliseconds = (seconds: number | null): number | null =>
  seconds === null ? null : Math.min(Math.max(Math.round(seconds * 1000), 0), 0x7fffffff);
