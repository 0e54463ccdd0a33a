import { attributeNamed } from '@ledgerline/contracts/attributes';
import { type ConditionDefinition, isProperty, PROPERTY } from '@ledgerline/contracts/definitions';
import {
  type Numbers,
  SESSION_FLAG,
  type SessionField,
  type Unit,
} from '@ledgerline/contracts/read-models/session-days';
import { propertyOfUnits, textOfJson, type CompiledCondition } from './compiled-condition';
import { isSessionField } from './row-sources';
import type { CountScope } from './scope';
import { bytes } from './scratch';

/** Stands for the value of a unit in no counted session, or without a value. */
export const NO_VALUE = -1;

/** By what units are broken down. */
export interface BreakdownValues {
  /** The text id, or of a property the place of its text; or {@link NO_VALUE}. */
  readonly at: (unit: number) => number;
  readonly isOfProperty: boolean;
  /** The text of a property; null of other values. */
  readonly textOf: (value: number) => string | null;
}

/** Returns what the units of a kind have: an attribute of their session, its entry page, their path or a property. */
export function valuesOfUnits(
  scope: CountScope,
  unit: Unit,
  by: string,
  condition?: CompiledCondition,
): BreakdownValues {
  if (isProperty(by)) return ofProperty(scope, by.slice(PROPERTY.length), condition);
  const { field, places } = scope.sessions.unit(unit);
  const plain = { isOfProperty: false, textOf: () => null };
  if (by === 'path') {
    const paths = field('path');
    return { ...plain, at: (at) => paths[at] || NO_VALUE };
  }
  const ids = ofSessions(scope, by);
  const hasViews = countedSessions(scope);
  const isMissingShown = attributeNamed(by)?.missing === 'Direct';
  return {
    ...plain,
    at: (at) => {
      const place = places[at] ?? 0;
      const id = hasViews[place] === 1 ? (ids[place] ?? 0) : NO_VALUE;
      return id === 0 && !isMissingShown ? NO_VALUE : id;
    },
  };
}

/** The properties that a breakdown needs of custom events. */
export const propertiesOfBreakdown = (
  by: string | undefined,
  { kind }: Pick<ConditionDefinition, 'kind'>,
): readonly string[] => (by !== undefined && isProperty(by) && kind === 'event' ? [by.slice(PROPERTY.length)] : []);

/** The fields of sessions that a breakdown reads. */
export const fieldsOfBreakdown = (by: string): readonly SessionField[] => (isSessionField(by) ? [by] : []);

function ofProperty({ sessions }: CountScope, property: string, condition?: CompiledCondition): BreakdownValues {
  if (condition?.kind !== 'event') return { isOfProperty: true, at: () => NO_VALUE, textOf: () => null };
  const { places, values } = propertyOfUnits(condition, property, sessions);
  const texts = values.map(textOfJson);
  // equal texts are one value, also where one is a number
  const firsts = new Map<string, number>();
  for (const [place, text] of texts.entries()) if (!firsts.has(text)) firsts.set(text, place);
  return {
    isOfProperty: true,
    at: (at) => {
      const text = texts[places[at] ?? -1];
      return text === undefined || text === '' ? NO_VALUE : (firsts.get(text) ?? NO_VALUE);
    },
    textOf: (value) => texts[value] ?? null,
  };
}

function ofSessions({ sessions }: CountScope, by: string): Numbers {
  if (by !== 'entry_page') return sessions.field(by as SessionField);
  const { counts, field } = sessions.unit('views');
  const paths = field('path');
  const found = new Int32Array(counts.length);
  for (let place = 0, at = 0; place < counts.length; at += counts[place++] ?? 0) found[place] = paths[at] ?? 0;
  return found;
}

/** 1 for each session with a page view. */
function countedSessions({ sessions }: CountScope): Uint8Array {
  const flags = sessions.field('flags');
  const { counts } = sessions.unit('views');
  const marks = bytes(sessions.size);
  for (let place = 0; place < marks.length; place++)
    marks[place] = (counts[place] ?? 0) > 0 && !((flags[place] ?? 0) & SESSION_FLAG.single) ? 1 : 0;
  return marks;
}
