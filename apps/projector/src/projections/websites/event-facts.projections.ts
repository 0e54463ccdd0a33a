import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import {
  EVENT_KINDS,
  type EventField,
  type EventKind,
  type EventKinds,
  type FactUnit,
  PAGE_FIELDS,
} from '@ledgerline/contracts/read-models/event-kinds';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import {
  customEvents,
  engagementSpans,
  errors,
  linkVisits,
  vitals,
} from '@ledgerline/contracts/read-models/website-facts';
import type { Value } from '@ledgerline/platform/database/read-model-rows';
import { jsonText, withoutNul } from '@ledgerline/platform/database/sql';
import type { Intern } from './dictionary';

export type FactColumns = Readonly<Record<string, Value>>;

/** A table with one row per event of a kind: website, at, id, visitor, session, and the columns that the kind declares. */
interface EventFacts {
  readonly builds: ReadModel;
  readonly type: WebsiteObservedEvent['type'];
  readonly kind: number;
  /** Undefined of an event that has no row. */
  readonly columnsOf: (data: object, id: Intern) => FactColumns | undefined;
  /** The columns that hold text ids. */
  readonly texts: readonly string[];
  /** What is counted of them, beside their hits. */
  readonly unit: FactUnit | undefined;
}

/** The kinds of events that have a row of their own beside their hit in a session. */
type KindWithFacts = {
  [Name in keyof EventKinds]: EventKinds[Name] extends { facts: object } ? Name : never;
}[keyof EventKinds];

const MODELS: Readonly<Record<KindWithFacts, ReadModel>> = {
  view: linkVisits,
  error: errors,
  custom: customEvents,
  vital: vitals,
  engagement: engagementSpans,
};

export const EVENT_FACTS: readonly EventFacts[] = Object.entries(MODELS).map(([name, builds]) => {
  const { type, number: kind, facts }: EventKind = EVENT_KINDS[name as KindWithFacts];
  const fields = Object.entries<EventField>({ ...PAGE_FIELDS, ...facts.columns });
  const isIn = facts.isIn as ((data: object) => boolean) | undefined; // of events of the type
  return {
    ...{ builds, type, kind, unit: facts.unit },
    columnsOf(data, id) {
      if (isIn?.(data) === false) return undefined;
      const columns: Record<string, Value> = {};
      for (const [column, field] of fields) columns[column] = valueOf(field, data, id);
      return columns;
    },
    texts: fields.flatMap(([column, { isText }]) => (isText ? [column] : [])),
  };
});

const BY_TYPE: ReadonlyMap<string, EventFacts> = new Map(EVENT_FACTS.map((facts) => [facts.type, facts]));

export const factsOf = (type: WebsiteObservedEvent['type']): EventFacts | undefined => BY_TYPE.get(type);

function valueOf({ isText, of }: EventField, data: object, id: Intern): Value {
  const value = of(data as never); // a kind takes the events of its type, which the compiler cannot infer
  if (isText) return id(value as string | null | undefined);
  if (typeof value === 'string') return withoutNul(value);
  return typeof value === 'object' && value !== null ? jsonText(value) : (value ?? null);
}
