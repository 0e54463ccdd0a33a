import { eventFilterNamed, WEBSITE_FILTERS } from '@ledgerline/contracts/attributes';
import { isDecimal } from '@ledgerline/contracts/criterion';
import {
  CONDITION_FIELDS,
  isProperty,
  PROPERTY,
  type ConditionKind,
  type FieldFilter,
  type SegmentDefinition,
} from '@ledgerline/contracts/definitions';
import { keysOf } from '@ledgerline/contracts/json';
import { criterion, passes } from '../query/filters';

export const CONDITION_KINDS = keysOf(CONDITION_FIELDS);

export const isConditionKind = (kind: unknown): kind is ConditionKind =>
  typeof kind === 'string' && Object.hasOwn(CONDITION_FIELDS, kind);

/** The fields of a kind of condition as people write them. */
export const fieldsOfKind = (kind: ConditionKind): readonly string[] =>
  CONDITION_FIELDS[kind].map((field) => (field === PROPERTY ? `${PROPERTY}KEY` : field));

/** Returns whether filters of a condition of that kind may name the field. */
export function isConditionField(kind: ConditionKind, field: string): boolean {
  const fields: readonly string[] = CONDITION_FIELDS[kind];
  return isProperty(field) ? fields.includes(PROPERTY) : field !== PROPERTY && fields.includes(field);
}

/** The fields that filters of segments may name: those of every question about a website. */
export const SEGMENT_FIELDS: readonly string[] = WEBSITE_FILTERS;

/** Returns whether a field may be compared as a number. */
export const takesNumbers = (field: string): boolean => isProperty(field) || field === 'metric_value';

/** Returns what is wrong with a filter's value that no event can have (`must be …`); undefined where an event can. */
export function wrongInValue({ field, op, value }: FieldFilter): string | undefined {
  const wanted = { ...criterion({ field, op, value }), negated: false };
  const every = (rule: (text: string) => boolean) => [value].flat().every(rule);
  if (field === 'metric_value') return wanted.test !== 'equal' || every(isDecimal) ? undefined : 'must be a number';
  const ofEvent = eventFilterNamed(field);
  const values = ofEvent && Object.keys(ofEvent.values);
  if (!values || every((text) => values.some((each) => passes({ ...wanted, values: [text] }, [each]))))
    return undefined;
  return `must ${wanted.test === 'equal' ? 'be' : 'fit'} one of ${values.join(', ')}`;
}

/** Returns whether a segment says nothing, so that every session is in it. */
export const isEmptySegment = ({ filters = [], did = [] }: Partial<SegmentDefinition>): boolean =>
  filters.length + did.length === 0;

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The longest window, in days. */
export const MAX_WINDOW_DAYS = 3_660;

/** The ms of a window such as `30m`, `12h` or `7d`; undefined for another text, none, or a longer one than `maxDays`. */
export function windowMs(text: string, maxDays = MAX_WINDOW_DAYS): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]; // by the pattern
  return ms <= maxDays * UNIT_MS.d ? ms : undefined;
}
