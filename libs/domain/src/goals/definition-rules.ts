import { WEBSITE_FILTERS } from '@ledgerline/contracts/attributes';
import { CONDITION_FIELDS, PROPERTY, type ConditionKind } from '@ledgerline/contracts/definitions';

export const CONDITION_KINDS = Object.keys(CONDITION_FIELDS) as readonly ConditionKind[];

export const isConditionKind = (kind: unknown): kind is ConditionKind =>
  typeof kind === 'string' && Object.hasOwn(CONDITION_FIELDS, kind);

/** The fields of a kind of condition as people write them. */
export const fieldsOfKind = (kind: ConditionKind): readonly string[] =>
  CONDITION_FIELDS[kind].map((field) => (field === PROPERTY ? `${PROPERTY}KEY` : field));

/** Whether filters of a condition of that kind may name the field. */
export function isConditionField(kind: ConditionKind, field: string): boolean {
  const fields: readonly string[] = CONDITION_FIELDS[kind];
  return isProperty(field) ? fields.includes(PROPERTY) : field !== PROPERTY && fields.includes(field);
}

/** Whether a field is the property of an event, which has a name. */
export const isProperty = (field: string): boolean => field.length > PROPERTY.length && field.startsWith(PROPERTY);

/** The fields that filters of segments may name: those of every question about a website. */
export const SEGMENT_FIELDS: readonly string[] = WEBSITE_FILTERS;

/** Whether a field may be compared as a number. */
export const takesNumbers = (field: string): boolean => isProperty(field) || field === 'metric_value';

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const MAX_WINDOW_MS = 3_660 * UNIT_MS.d;

/** The ms of a window such as `30m`, `12h` or `7d`; undefined for another text, none, or more than ten years. */
export function windowMs(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]; // by the pattern
  return ms <= MAX_WINDOW_MS ? ms : undefined;
}
