import type { FilterOp } from '@ledgerline/contracts/definitions';
import {
  fieldOf,
  kindNamed,
  NUMBER_OPS,
  OPS,
  PROPERTY_FIELD,
  type ConditionInput,
  type ConditionFilter,
  type ConditionKindForm,
  type DraftOp,
} from './condition-kinds';

/** A filter as it is edited. */
export interface FilterDraft {
  readonly id: number;
  /** A field of its kind; `property` names the one that a field of properties is about. */
  readonly field: string;
  readonly property: string;
  readonly op: DraftOp;
  readonly value: string;
}

/** A filter that can be read and taken out, but not edited: it stays as it is. */
export interface KeptFilter {
  readonly id: number;
  readonly kept: ConditionFilter;
}

/** A condition as it is edited. */
export interface ConditionDraft {
  readonly kind: ConditionInput['kind'];
  readonly filters: readonly (FilterDraft | KeptFilter)[];
}

let lastId = 0;

/** Returns a new id of a row that is edited. */
export const newRowId = (): number => ++lastId;

/** The first question of a kind. */
export const newFilter = ({ fields: [{ field }] }: ConditionKindForm, value = ''): FilterDraft => ({
  id: newRowId(),
  field,
  property: '',
  op: 'eq',
  value,
});

/** A condition that asks for a value of what its kind is about. */
export const newCondition = (kind: ConditionKindForm, value = ''): ConditionDraft => ({
  kind: kind.kind,
  filters: [newFilter(kind, value)],
});

export function conditionDraftOf({ kind, filters = [] }: ConditionInput): ConditionDraft {
  return { kind, filters: filters.map((filter) => filterDraftOf(kindNamed(kind), filter)) };
}

function filterDraftOf(kind: ConditionKindForm, filter: ConditionFilter): FilterDraft | KeptFilter {
  const id = newRowId();
  const kept = { id, kept: filter };
  if ('any' in filter || typeof filter.value !== 'string') return kept;
  const { field: name, value } = filter;
  const field = fieldOf(kind, name)?.field;
  const op = draftOpOf(filter.op, value);
  if (field === undefined || op === undefined) return kept;
  const property = field === PROPERTY_FIELD ? name.slice(PROPERTY_FIELD.length) : '';
  return { id, field, property, op, value };
}

/** Undefined for what can only be kept: lists of values, and texts that are empty where that means something else. */
function draftOpOf(op: FilterOp, value: string): DraftOp | undefined {
  if (value === '') return op === 'eq' ? 'empty' : op === 'ne' ? 'not_empty' : undefined;
  return [...OPS, ...NUMBER_OPS].find(([each]) => each === op)?.[0];
}

/** Returns what was edited, for the api. */
export const conditionIn = ({ kind, filters }: ConditionDraft): ConditionInput => ({
  kind,
  filters: filters.map((filter) => ('kept' in filter ? filter.kept : filterIn(filter))),
});

function filterIn({ field, property, op, value }: FilterDraft): ConditionFilter {
  const name = field === PROPERTY_FIELD ? `${PROPERTY_FIELD}${property}` : field;
  if (op === 'empty') return { field: name, op: 'eq', value: '' };
  return op === 'not_empty' ? { field: name, op: 'ne', value: '' } : { field: name, op, value };
}

/** Returns whether it says all that the api needs. */
export const isFilled = (filter: FilterDraft | KeptFilter): boolean =>
  'kept' in filter ||
  ((filter.field !== PROPERTY_FIELD || filter.property !== '') &&
    (filter.op === 'empty' || filter.op === 'not_empty' || filter.value !== ''));

/** Returns the draft for another kind: with the filters whose fields it has, too. */
export function ofKind({ filters }: ConditionDraft, kind: ConditionKindForm): ConditionDraft {
  const shared = filters.filter((filter) =>
    'kept' in filter
      ? ('any' in filter.kept ? filter.kept.any : [filter.kept]).every(({ field }) => fieldOf(kind, field))
      : fieldOf(kind, filter.field) && isFilled(filter),
  );
  return shared.length > 0 ? { kind: kind.kind, filters: shared } : newCondition(kind);
}

/**
 * Returns which rows there are, in which order: what one is refused for is not said of another that takes its place.
 */
export const conditionRowKeys = ({ kind, filters }: ConditionDraft): string =>
  `${kind} ${filters.map(({ id }) => id).join(' ')}`;

/** The parts of one object that another one has differently. */
export const changedIn = <Value extends object>(before: Value, after: Value): Partial<Value> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(before, name)),
    ),
  ) as Partial<Value>; // of the same fields
