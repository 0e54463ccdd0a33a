import type { ConditionDto, QueryTypeName } from '@ledgerline/client';
import { PROPERTY, type FilterOp } from '@ledgerline/contracts/definitions';
import { describeField } from '../view/filter-fields';

export type ConditionInput = ConditionDto;
export type ConditionFilter = NonNullable<ConditionInput['filters']>[number];

/** The list whose rows hold the values of a field, and in which of their columns. */
export interface ValueList {
  readonly type: QueryTypeName;
  readonly value: string;
  /** The column of what is counted; without one each row is one. */
  readonly count?: string;
  readonly unit: string;
  /** The column that must hold the name of the property, or of the event. */
  readonly of?: string;
  /** The column that must not be zero. */
  readonly atLeastOne?: string;
  /** The field with what people call a value, where it is an id. */
  readonly shown?: string;
  /** Options of the list. */
  readonly options?: object;
}

interface ConditionField {
  readonly field: string;
  readonly label: string;
  readonly values?: ValueList | readonly string[];
}

export interface ConditionKindForm {
  readonly kind: ConditionInput['kind'];
  readonly label: string;
  /** The first one is what people ask for first. */
  readonly fields: readonly [ConditionField, ...ConditionField[]];
  /** The words for a condition without filters, which every event of the kind meets. */
  readonly every: string;
}

const listOf = (type: QueryTypeName, value = 'name', count = 'visitors'): ValueList => ({
  type,
  value,
  count,
  unit: 'visitors',
});

const PAGE = { field: 'path', label: 'Page' } as const;
const VIEWED = { ...PAGE, values: listOf('top_pages') } as const;

/** A field of filters of custom events; its name follows the prefix. */
export const PROPERTY_FIELD = PROPERTY;

const PROPERTY_VALUES: ValueList = {
  type: 'custom_event_properties',
  value: 'property_value',
  count: 'count',
  unit: 'events',
  of: 'property_key',
};

/** Names of properties. */
export const PROPERTY_NAMES: ValueList = {
  type: 'custom_event_properties',
  value: 'property_key',
  count: 'count',
  unit: 'events',
};

const linksBy = (value: string): ValueList => ({
  type: 'link_conversions',
  value,
  count: 'clicks',
  unit: 'clicks',
  shown: 'name',
  options: { goal: { condition: { kind: 'link_click' } } },
});

/** The kinds of events, with the fields that its filters may name. */
export const CONDITION_KIND_FORMS: readonly [ConditionKindForm, ...ConditionKindForm[]] = [
  {
    kind: 'page',
    label: 'A page is viewed',
    every: 'Every page view counts.',
    fields: [VIEWED, { field: 'query_string', label: 'Query string' }, { field: 'hostname', label: 'Host' }],
  },
  {
    kind: 'event',
    label: 'A custom event happens',
    every: 'Every custom event counts.',
    fields: [
      { field: 'name', label: 'Event', values: listOf('custom_events', 'name', 'unique_users') },
      { ...PAGE, values: listOf('custom_events_by_path', 'name', 'unique_users') },
      { field: PROPERTY_FIELD, label: 'Property', values: PROPERTY_VALUES },
    ],
  },
  { kind: 'form_submit', label: 'A form is sent', every: 'Every form that is sent counts.', fields: [VIEWED] },
  {
    kind: 'outgoing_link',
    label: 'A link leads elsewhere',
    every: 'Every click on an outgoing link counts.',
    fields: [
      { field: 'href', label: 'Address', values: listOf('outbound_links', 'href', 'unique_users') },
      { field: 'domain', label: 'Domain', values: listOf('outbound_domains', 'domain', 'unique_users') },
      { field: 'link_kind', label: 'Kind of link', values: ['link', 'download'] },
      VIEWED,
    ],
  },
  {
    kind: 'error',
    label: 'An error happens',
    every: 'Every error counts.',
    fields: [
      { field: 'message', label: 'Message', values: { type: 'recent_errors', value: 'message', unit: 'errors' } },
      { field: 'error_type', label: 'Type', values: listOf('error_types', 'name', 'users') },
      { ...PAGE, values: listOf('errors_by_page', 'name', 'users') },
    ],
  },
  {
    kind: 'vital',
    label: 'A web vital is measured',
    every: 'Every measurement counts.',
    fields: [
      { field: 'metric_name', label: 'Metric', values: ['LCP', 'INP', 'CLS', 'FCP', 'TTFB'] },
      { field: 'metric_value', label: 'Value of the metric' },
      VIEWED,
    ],
  },
  {
    kind: 'link_click',
    label: 'A short link leads here',
    every: 'Every visit by a short link counts.',
    fields: [
      { field: 'link_id', label: 'Link', values: linksBy('link_id') },
      { field: 'external_id', label: 'External id', values: linksBy('external_id') },
    ],
  },
];

export const kindNamed = (name: string): ConditionKindForm =>
  CONDITION_KIND_FORMS.find(({ kind }) => kind === name) ?? CONDITION_KIND_FORMS[0];

/** The field of a kind that a filter names; undefined for one that the kind does not have. */
export const fieldOf = (kind: ConditionKindForm, name: string): ConditionField | undefined =>
  kind.fields.find(({ field }) => field === (name.startsWith(PROPERTY_FIELD) ? PROPERTY_FIELD : name));

/** The comparisons of a condition's fields, but for lists of values. */
export const OPS = [
  ['eq', 'is'],
  ['ne', 'is not'],
  ['contains', 'contains'],
  ['not_contains', 'does not contain'],
  ['starts_with', 'starts with'],
  ['glob', 'matches the pattern'],
  ['empty', 'is empty'],
  ['not_empty', 'is not empty'],
] as const satisfies readonly (readonly [FilterOp | 'empty' | 'not_empty', string])[];

/** The comparisons of fields that may hold numbers. */
export const NUMBER_OPS = [
  ['gt', 'is more than'],
  ['gte', 'is at least'],
  ['lt', 'is less than'],
  ['lte', 'is at most'],
] as const satisfies readonly (readonly [FilterOp, string])[];

export type DraftOp = (typeof OPS)[number][0] | (typeof NUMBER_OPS)[number][0];

/** One filter of a condition as a sentence. */
export function describeConditionFilter(kind: ConditionKindForm, filter: ConditionFilter): string {
  const alternatives = 'any' in filter ? filter.any : [filter];
  const labelOf = (field: string) =>
    field.startsWith(PROPERTY_FIELD) ? field.slice(PROPERTY_FIELD.length) : (fieldOf(kind, field)?.label ?? field);
  return alternatives.map((each) => describeField(each, labelOf(each.field))).join(' or ');
}

/** Returns what an event must be, as a sentence. */
export function describeCondition({ kind: name, filters = [] }: ConditionInput): string {
  const kind = kindNamed(name);
  const parts = filters.map((filter) => describeConditionFilter(kind, filter));
  return parts.length === 0 ? kind.every.replace(/ counts\.$/, '') : parts.join(', and ');
}
