import { readableText } from '../format';
import type { ViewFilter } from './view-search';

/** What can be filtered by, in the order of the choice. */
export const FILTER_FIELDS = [
  ['path', 'Page'],
  ['query_string', 'Query string'],
  ['referrer', 'Referrer'],
  ['country', 'Country'],
  ['region', 'Region'],
  ['city', 'City'],
  ['device_type', 'Device'],
  ['browser_name', 'Browser'],
  ['os_name', 'System'],
  ['language', 'Language'],
  ['timezone', 'Visitor’s time zone'],
  ['utm_source', 'UTM source'],
  ['utm_medium', 'UTM medium'],
  ['utm_campaign', 'UTM campaign'],
  ['utm_term', 'UTM term'],
  ['utm_content', 'UTM content'],
] as const;

export type FilterField = (typeof FILTER_FIELDS)[number][0];

const nameOfField = (field: string): string => FILTER_FIELDS.find(([name]) => name === field)?.[1] ?? field;

const valuesOf = ({ value }: ViewFilter): readonly string[] => (typeof value === 'string' ? [value] : value);

/** A filter as a sentence. */
export function describeFilter(filter: ViewFilter): string {
  const kind = filter.field === 'path' ? 'path' : filter.field === 'referrer' ? 'host' : 'text';
  const values = valuesOf(filter).map((value) => readableText(kind, value) || '(empty)');
  return `${nameOfField(filter.field)} ${OPERATOR_TEXTS[filter.op]} ${values.join(' or ')}`;
}

const OPERATOR_TEXTS: Readonly<Record<ViewFilter['op'], string>> = {
  eq: 'is',
  ne: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  in: 'is',
  not_in: 'is not',
};

/** With one more value of a field, or without it where it is selected already; the values of one field are alternatives. */
export function toggleValue(filters: readonly ViewFilter[], field: string, value: string): readonly ViewFilter[] {
  const at = filters.findIndex((filter) => filter.field === field && ['eq', 'in'].includes(filter.op));
  const present = filters[at];
  if (!present) return [...filters, { field, op: 'eq', value }];
  const values = valuesOf(present);
  const next = values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
  const [first] = next;
  if (first === undefined) return filters.toSpliced(at, 1);
  return filters.with(at, next.length === 1 ? { field, op: 'eq', value: first } : { field, op: 'in', value: next });
}

export const isSelected = (filters: readonly ViewFilter[], field: string, value: string): boolean =>
  filters.some(
    (filter) => filter.field === field && ['eq', 'in'].includes(filter.op) && valuesOf(filter).includes(value),
  );
