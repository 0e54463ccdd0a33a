import type { QueryRequest } from '@ledgerline/client';
import { FILTER_OPS } from '@ledgerline/contracts/definitions';
import { isExistingDay, optionalText } from '../../search-params';

export const PRESET_OPTIONS = [
  ['today', 'Today'],
  ['yesterday', 'Yesterday'],
  ['last_24h', 'Last 24 hours'],
  ['last_7d', 'Last 7 days'],
  ['last_14d', 'Last 14 days'],
  ['last_30d', 'Last 30 days'],
  ['last_90d', 'Last 90 days'],
  ['this_week', 'This week'],
  ['last_week', 'Last week'],
  ['this_month', 'This month'],
  ['last_month', 'Last month'],
  ['this_year', 'This year'],
] as const;

type Preset = (typeof PRESET_OPTIONS)[number][0];

export const COMPARISON_OPTIONS = [
  ['previous_period', 'The period before'],
  ['previous_year', 'The year before'],
  ['none', 'No comparison'],
] as const;

export const GRANULARITY_OPTIONS = [
  ['daily', 'Days'],
  ['weekly', 'Weeks'],
  ['monthly', 'Months'],
  ['hourly', 'Hours'],
] as const;

export const FILTER_OPERATORS = [
  ['eq', 'is'],
  ['ne', 'is not'],
  ['contains', 'contains'],
  ['not_contains', 'does not contain'],
  ['starts_with', 'starts with'],
] as const;

/** One condition, or several of which one has to hold. */
export type ViewFilter = NonNullable<QueryRequest['filters']>[number];
export type ViewFieldFilter = Extract<ViewFilter, { readonly field: string }>;

/** The choice of events that every page of a website is about; each part is in its address. */
export interface ViewSearch {
  readonly preset?: Preset;
  /** Inclusive days, `YYYY-MM-DD`; both or none. */
  readonly from?: string;
  readonly to?: string;
  readonly compare?: (typeof COMPARISON_OPTIONS)[number][0];
  readonly granularity?: (typeof GRANULARITY_OPTIONS)[number][0];
  readonly timezone?: string;
  readonly filters?: readonly ViewFilter[];
  /** The id of a segment, of websites alone. */
  readonly segment?: string;
  /** The id of the goal that lists are seen by, of websites alone. */
  readonly goal?: string;
  /** The name of a kept past moment, of websites alone. */
  readonly snapshot?: string;
}

export type RangeSearch = Omit<ViewSearch, 'filters' | 'granularity' | 'segment' | 'goal'>;

export const DEFAULT_PRESET = 'last_7d' satisfies Preset;

/** Returns what an address says that means something; the rest is left out. */
export function readAddress(search: Readonly<Record<string, unknown>>): ViewSearch {
  const { from = '', to = '' } = { ...optionalText(search, 'from'), ...optionalText(search, 'to') };
  const isRange = isExistingDay(from) && isExistingDay(to) && from <= to;
  return {
    ...readChoiceParam(search, 'preset', PRESET_OPTIONS),
    ...(isRange ? { from, to } : {}),
    ...readChoiceParam(search, 'compare', COMPARISON_OPTIONS),
    ...readChoiceParam(search, 'granularity', GRANULARITY_OPTIONS),
    ...optionalText(search, 'timezone'),
    ...filtersIn(search['filters']),
  };
}

/** One parameter of an address, if it is one of these. */
export function readChoiceParam<Name extends string, Value extends string>(
  search: Readonly<Record<string, unknown>>,
  name: Name,
  values: readonly (readonly [Value, ...unknown[]])[],
): { [Key in Name]?: Value } {
  const found = values.find(([value]) => value === search[name]);
  return (found ? { [name]: found[0] } : {}) as { [Key in Name]?: Value }; // a computed name is typed as string
}

/** The page of a list, if it is not the first one. */
export function pageIn({ page }: Record<string, unknown>): { readonly page?: number } {
  return typeof page === 'number' && Number.isInteger(page) && page > 1 ? { page } : {};
}

const MAX_FILTERS = 50;
/** The operators of filters, also those that the form has no choice of: saved views and addresses may hold them. */
const OPS: readonly string[] = FILTER_OPS;

function filtersIn(value: unknown): Pick<ViewSearch, 'filters'> {
  const filters = Array.isArray(value) ? value.filter(isFilter).slice(0, MAX_FILTERS) : [];
  return filters.length > 0 ? { filters } : {};
}

function isFilter(value: unknown): value is ViewFilter {
  if (typeof value !== 'object' || value === null) return false;
  if ('any' in value) return Array.isArray(value.any) && value.any.length > 0 && value.any.every(isFieldFilter);
  return isFieldFilter(value);
}

function isFieldFilter(value: unknown): value is ViewFieldFilter {
  if (typeof value !== 'object' || value === null) return false;
  const { field, op, value: wanted } = value as Record<string, unknown>;
  const isText = (each: unknown) => typeof each === 'string';
  return (
    isText(field) && OPS.includes(String(op)) && (isText(wanted) || (Array.isArray(wanted) && wanted.every(isText)))
  );
}

/** Returns whether the last day of an answer's range is over: its figures stay as they are. */
export const isOver = (
  { endDate, timezone }: { readonly endDate: string; readonly timezone: string },
  now = new Date(),
): boolean => endDate < new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(now);

/** The order of a list, and which page of it is shown, as an address says. */
export interface ListSearch {
  readonly sort?: string;
  readonly order?: 'asc' | 'desc';
  readonly page?: number;
  /** Rows of few events are shown, too. */
  readonly few?: 'shown';
  /** Only rows that hold this text. */
  readonly find?: string;
  /** Fields of columns that are not shown. */
  readonly hide?: readonly string[];
}

const ORDERS = [['asc'], ['desc']] as const;
const FEW = [['shown']] as const;

export const readListSearch = (search: Record<string, unknown>): ListSearch => ({
  ...optionalText(search, 'sort'),
  ...readChoiceParam(search, 'order', ORDERS),
  ...pageIn(search),
  ...readChoiceParam(search, 'few', FEW),
  ...optionalText(search, 'find'),
  ...fieldsIn(search),
});

function fieldsIn({ hide }: Record<string, unknown>): Pick<ListSearch, 'hide'> {
  const fields = Array.isArray(hide) ? hide.filter((field) => typeof field === 'string') : [];
  return fields.length > 0 ? { hide: fields } : {};
}

/** The number of rows a page of a list has. */
export const PAGE_ROWS = 50;

/** The lengths of the periods in which visitors come back. */
export const PERIODS = [
  ['day', 'Days'],
  ['week', 'Weeks'],
  ['month', 'Months'],
] as const;

export type RetentionInterval = (typeof PERIODS)[number][0];

export const DEFAULT_PERIOD = 'week' satisfies RetentionInterval;

export const readRetention = (search: Record<string, unknown>): { period?: RetentionInterval } =>
  readChoiceParam(search, 'period', PERIODS);
