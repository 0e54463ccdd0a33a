import { useId, type ReactNode } from 'react';
import type { QueryScope } from '../../../api/figures';
import { Button } from '../../../components/button';
import { Select } from '../../../components/field';
import { useFieldError } from '../../../components/form';
import { kindOfField } from '../view/filter-fields';
import { newFilter, ofKind, type ConditionDraft, type FilterDraft, type KeptFilter } from './condition-draft';
import {
  describeConditionFilter,
  fieldOf,
  kindNamed,
  CONDITION_KIND_FORMS,
  NUMBER_OPS,
  OPS,
  PROPERTY_FIELD,
  PROPERTY_NAMES,
  type ConditionKindForm,
} from './condition-kinds';
import { ValueInput } from './value-input';

interface ConditionEditorProps {
  /** The label by which the kind of event is chosen: `Trigger`. */
  readonly label: string;
  /** The name that the api gives the condition: `condition`, `steps[1].condition`. */
  readonly path: string;
  readonly draft: ConditionDraft;
  /** The scope whose values are suggested. */
  readonly scope: QueryScope;
  readonly onChange: (draft: ConditionDraft) => void;
  /** A field beside the kind. */
  readonly beside?: ReactNode;
}

/** The most filters that the api takes. */
const MAX_FILTERS = 20;

/** Shows what an event must be: its kind, and filters that all have to hold. */
export function ConditionEditor({ label, path, draft, scope, onChange, beside }: ConditionEditorProps) {
  const kind = kindNamed(draft.kind);
  const { filters } = draft;
  const replace = (at: number, next: FilterDraft) => onChange({ ...draft, filters: filters.with(at, next) });
  return (
    <div className="stack">
      <div className="form-row">
        {beside}
        <Select
          label={label}
          name={`${path}.kind`}
          options={CONDITION_KIND_FORMS.map((each) => [each.kind, each.label] as const)}
          value={kind.kind}
          onChange={({ target }) => onChange(ofKind(draft, kindNamed(target.value)))}
        />
      </div>
      {filters.map((filter, at) => (
        <FilterRow
          key={filter.id}
          path={`${path}.filters[${at}]`}
          place={at + 1}
          kind={kind}
          filter={filter}
          scope={scope}
          onChange={(next) => replace(at, next)}
          onRemove={() => onChange({ ...draft, filters: filters.toSpliced(at, 1) })}
        />
      ))}
      {filters.length === 0 && <p className="hint">{kind.every}</p>}
      {filters.length < MAX_FILTERS && (
        <div className="row-actions">
          <Button variant="quiet" onClick={() => onChange({ ...draft, filters: [...filters, newFilter(kind)] })}>
            {filters.length === 0 ? 'Only some of them' : 'And also'}
          </Button>
        </div>
      )}
      <Refused field={`${path}.filters`} isShown={filters.length === 0} />
    </div>
  );
}

interface FilterRowProps {
  readonly path: string;
  /** From 1. */
  readonly place: number;
  readonly kind: ConditionKindForm;
  readonly filter: FilterDraft | KeptFilter;
  readonly scope: QueryScope;
  readonly onChange: (filter: FilterDraft) => void;
  readonly onRemove: () => void;
}

function FilterRow({ path, place, kind, filter, scope, onChange, onRemove }: FilterRowProps) {
  const label = `Filter ${place}`;
  return (
    <div className="filter-row" data-row role="group" aria-label={label}>
      {'kept' in filter ? (
        <div>
          <p>{describeConditionFilter(kind, filter.kept)}</p>
          <p className="hint">This form cannot change this filter; it stays as it is.</p>
          <Refused field={path} isShown />
        </div>
      ) : (
        <div className="toolbar">
          <FilterFields path={path} kind={kind} filter={filter} scope={scope} onChange={onChange} />
        </div>
      )}
      <Button variant="quiet" aria-label={`Remove filter ${place}`} title={`Remove filter ${place}`} onClick={onRemove}>
        ×
      </Button>
    </div>
  );
}

type FilterFieldsProps = Omit<FilterRowProps, 'place' | 'filter' | 'onRemove'> & { readonly filter: FilterDraft };

function FilterFields({ path, kind, filter, scope, onChange }: FilterFieldsProps) {
  const { field: name, property, op, value } = filter;
  const field = fieldOf(kind, name) ?? kind.fields[0];
  const isNumeric = name === PROPERTY_FIELD || name === 'metric_value';
  const ops = isNumeric ? [...OPS, ...NUMBER_OPS] : OPS;
  const hasValue = op !== 'empty' && op !== 'not_empty';
  return (
    <>
      <Select
        label="Field"
        name={`${path}.field-choice`}
        options={kind.fields.map((each) => [each.field, each.label] as const)}
        value={name}
        onChange={({ target }) => onChange({ ...filter, field: target.value, property: '', op: 'eq', value: '' })}
      />
      {name === PROPERTY_FIELD && (
        <ValueInput
          label="Name of the property"
          name={`${path}.field`}
          placeholder="plan"
          value={property}
          onChange={(next) => onChange({ ...filter, property: next })}
          scope={scope}
          values={PROPERTY_NAMES}
        />
      )}
      <Select
        label="Comparison"
        name={`${path}.op`}
        options={ops}
        value={op}
        onChange={({ target }) => onChange({ ...filter, op: ops.find(([each]) => each === target.value)?.[0] ?? op })}
      />
      {hasValue && (
        <ValueInput
          label={name === PROPERTY_FIELD ? 'Value of the property' : field.label}
          name={`${path}.value`}
          placeholder={field.label}
          value={value}
          onChange={(next) => onChange({ ...filter, value: next })}
          scope={scope}
          values={field.values}
          kind={kindOfField(name)}
          property={property}
        />
      )}
      {op === 'glob' && <p className="soft small">** is anything, * anything but a slash.</p>}
    </>
  );
}

/** Shows what the api refused and no control is about. */
function Refused({ field, isShown }: { readonly field: string; readonly isShown: boolean }) {
  const id = useId();
  const error = useFieldError(isShown ? field : undefined);
  return error === undefined ? null : (
    <p id={id} className="field-error">
      {error}
    </p>
  );
}
