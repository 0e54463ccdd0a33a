import {
  attributeNamed,
  ATTRIBUTES,
  isOfHits,
  LINK_FILTERS,
  WEBSITE_FILTERS,
  type AttributeKind,
} from '@ledgerline/contracts/attributes';
import { readableText, type TextKind } from '../format';
import type { ViewFieldFilter, ViewFilter } from './view-search';

/** Returns what can be filtered by, in the order of the choice. */
const choicesOf = (names: readonly (keyof typeof ATTRIBUTES)[]) =>
  names.map((name) => [name, ATTRIBUTES[name].label] as const);

export const FILTER_FIELDS = choicesOf(WEBSITE_FILTERS);
export const LINK_FILTER_FIELDS = choicesOf(LINK_FILTERS);
export type FilterFields = typeof FILTER_FIELDS;

/**
 * Returns what readers of a share can filter by: where it shows only some pages, nothing about all pages of a visit.
 */
export const sharedFilterFields = (ofShare: readonly ViewFilter[]): FilterFields =>
  ofShare.flatMap(alternativesIn).some(({ field }) => isOfHits(field))
    ? FILTER_FIELDS.filter(([name]) => ATTRIBUTES[name].of !== 'whole')
    : FILTER_FIELDS;

/** Tells how the values of an attribute, or of a field that only conditions have, are shown. */
export const kindOfField = (name: string): TextKind => KINDS[attributeNamed(name)?.kind ?? name] ?? 'text';

const KINDS: Readonly<Partial<Record<string, TextKind>>> = {
  path: 'path',
  query: 'path',
  host: 'host',
  source: 'host',
  href: 'address',
  domain: 'host',
} satisfies Partial<Record<AttributeKind | 'href' | 'domain', TextKind>>;

const valuesOf = ({ value }: ViewFieldFilter): readonly string[] => [value].flat().map(String);

/** One of these has to hold. */
const alternativesIn = (filter: ViewFilter): readonly ViewFieldFilter[] => ('any' in filter ? filter.any : [filter]);

/** The filter with one more alternative. */
export const withAlternative = (filter: ViewFilter, other: ViewFieldFilter): ViewFilter => ({
  any: [...alternativesIn(filter), other],
});

/** A filter as a sentence. */
export const describeFilter = (filter: ViewFilter): string =>
  alternativesIn(filter)
    .map((each) => describeField(each))
    .join(' or ');

/** One filter as a sentence about what is called so. */
export function describeField(filter: ViewFieldFilter, label = attributeNamed(filter.field)?.label): string {
  const { field } = filter;
  const values = valuesOf(filter).map((value) => readableText(kindOfField(field), value) || '(empty)');
  return `${label ?? field} ${OPERATOR_TEXTS[filter.op]} ${values.join(' or ')}`;
}

const OPERATOR_TEXTS: Readonly<Record<ViewFieldFilter['op'], string>> = {
  eq: 'is',
  ne: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  in: 'is',
  not_in: 'is not',
  glob: 'is like',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
};

const OPPOSITES = [
  ['eq', 'ne'],
  ['contains', 'not_contains'],
  ['in', 'not_in'],
] as const satisfies readonly (readonly [ViewFieldFilter['op'], ViewFieldFilter['op']])[];

/** The filter that lets through what this one does not; undefined where there is none. */
export function oppositeOf(filter: ViewFilter): ViewFilter | undefined {
  if ('any' in filter) return undefined;
  const pair = OPPOSITES.find((each) => each.some((op) => op === filter.op));
  return pair && { ...filter, op: pair[0] === filter.op ? pair[1] : pair[0] };
}

/** With one more value of a field, or without it where it is selected already; the values of one field are alternatives. */
export function toggleValue(filters: readonly ViewFilter[], field: string, value: string): readonly ViewFilter[] {
  const at = filters.findIndex((filter) => isEqual(filter, field));
  const present = filters[at];
  if (!present || 'any' in present) return [...filters, { field, op: 'eq', value }];
  const values = valuesOf(present);
  const next = values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
  const [first] = next;
  if (first === undefined) return filters.toSpliced(at, 1);
  return filters.with(at, next.length === 1 ? { field, op: 'eq', value: first } : { field, op: 'in', value: next });
}

/** Returns whether it names values that a field may have. */
const isEqual = (filter: ViewFilter, field: string): filter is ViewFieldFilter =>
  !('any' in filter) && filter.field === field && ['eq', 'in'].includes(filter.op);

export const isSelected = (filters: readonly ViewFilter[], field: string, value: string): boolean =>
  filters.some((filter) => isEqual(filter, field) && valuesOf(filter).includes(value));
