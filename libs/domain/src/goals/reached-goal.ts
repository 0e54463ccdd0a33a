import { eventFilterNamed } from '@ledgerline/contracts/attributes';
import { textsPass } from '@ledgerline/contracts/criterion';
import { PROPERTY, type ConditionDefinition, type FieldFilter, isProperty } from '@ledgerline/contracts/definitions';
import type {
  CustomEventTracked,
  ObservedEvent,
  OutgoingLinkClicked,
  PageViewed,
} from '@ledgerline/contracts/events/observed-events';
import type { Json } from '@ledgerline/contracts/json';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import { EVENT_KINDS, type EventField, PAGE_FIELDS } from '@ledgerline/contracts/read-models/event-kinds';
import { alternativesIn, criterion, numbersNamed, passes, spellingsOf } from '../query/filters';

/** An event that reaches a goal by itself, without a session to look at. */
export type GoalHit = PageViewed | CustomEventTracked | OutgoingLinkClicked;

const KINDS = [EVENT_KINDS.view, EVENT_KINDS.custom, EVENT_KINDS.outgoing] as const;

export const GOAL_HIT_TYPES: readonly GoalHit['type'][] = KINDS.map(({ type }) => type);

export const isGoalHit = (event: ObservedEvent): event is GoalHit => KINDS.some(({ type }) => type === event.type);

/** Returns whether goals with such a condition are said to be reached. */
export const isToldAtOnce = ({ kind }: ConditionDefinition): boolean =>
  KINDS.some(({ condition }) => condition === kind);

/** Returns whether an event is what a condition says. */
export function meets(hit: GoalHit, { kind, filters = [] }: ConditionDefinition): boolean {
  const of = KINDS.find(({ condition }) => condition === kind);
  if (of?.type !== hit.type) return false;
  const fields: Readonly<Record<string, EventField>> = { ...PAGE_FIELDS, ...of.fields };
  return filters.every((filter) => alternativesIn(filter).some((each) => holds(hit, each, fields)));
}

function holds(hit: GoalHit, filter: FieldFilter, fields: Readonly<Record<string, EventField>>): boolean {
  const { field } = filter;
  const wanted = criterion(filter);
  if (isProperty(field)) return textsPass(wanted, [propertyText(hit, field.slice(PROPERTY.length))]);
  const value = fields[field]?.of(hit.data as never); // of its type
  if (eventFilterNamed(field))
    return numbersNamed({ ...wanted, negated: false }).includes(Number(value)) !== wanted.negated;
  const text = field === 'domain' && hit.type === 'OutgoingLinkClicked' ? parseUrl(hit.data.href)?.hostname : value;
  return passes(wanted, spellingsOf(field, typeof text === 'string' ? text : ''));
}

function propertyText(hit: GoalHit, name: string): string {
  const value = hit.type === 'CustomEventTracked' ? hit.data.properties?.[name] : undefined;
  if (value === undefined) return '';
  return typeof value === 'string' ? value : asStored(value);
}

/** JSON as Postgres shows it, which is what questions compare. */
function asStored(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(asStored).join(', ')}]`;
  return JSON.stringify(value);
}
