import type { CreateGoalDto, GoalDto, QueryTypeName } from '@ledgerline/client';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { suggestionsQuery, type QueryScope } from '../../../api/website-query';
import { Input, Select } from '../../../components/field';
import type { Texts } from '../../../components/form';
import { FormSection, type FormSectionProps } from '../../../components/page-parts';

type Condition = CreateGoalDto['condition'];

interface Kind {
  readonly kind: Condition['kind'];
  readonly label: string;
  /** What its value is, and the list of the values that there are. */
  readonly field: string;
  readonly fieldLabel: string;
  readonly list: QueryTypeName;
}

/** What people make goals of; the api takes more. */
const KINDS: readonly Kind[] = [
  { kind: 'page', label: 'A page is viewed', field: 'path', fieldLabel: 'Page', list: 'top_pages' },
  { kind: 'event', label: 'A custom event happens', field: 'name', fieldLabel: 'Event', list: 'custom_events' },
  { kind: 'form_submit', label: 'A form is sent', field: 'path', fieldLabel: 'Page', list: 'top_pages' },
];
const [PAGE] = KINDS as readonly [Kind];

const OPS = [
  ['eq', 'is'],
  ['contains', 'contains'],
  ['starts_with', 'starts with'],
  ['glob', 'matches the pattern'],
] as const;

/** The parts of a condition that the form shows; undefined for one that it cannot. */
function partsOf({ kind, filters = [] }: Condition) {
  const shown = KINDS.find((each) => each.kind === kind);
  const [filter, ...others] = filters;
  if (!shown || others.length > 0) return undefined;
  if (!filter) return { kind: shown, op: 'eq', value: '' };
  const isShown = 'field' in filter && filter.field === shown.field && OPS.some(([op]) => op === filter.op);
  return isShown && typeof filter.value === 'string' ? { kind: shown, op: filter.op, value: filter.value } : undefined;
}

interface GoalFormProps extends Pick<FormSectionProps, 'change' | 'submit' | 'cancel'> {
  /** Absent for a new one. */
  readonly goal?: GoalDto;
  /** Whose values are suggested. */
  readonly scope: QueryScope;
  readonly onSubmit: (settings: Pick<CreateGoalDto, 'name' | 'condition' | 'value'>) => void;
}

/** What a goal is created with and what is changed of it. */
export function GoalForm({ goal, scope, onSubmit, ...section }: GoalFormProps) {
  const parts = goal ? partsOf(goal.condition) : { kind: PAGE, op: 'eq', value: '' };
  const [chosen, setChosen] = useState(parts?.kind ?? PAGE);
  const submit = (texts: Texts) => {
    const { name = '', op = 'eq', value = '', property = '', currency = '' } = texts;
    const filters = value === '' ? [] : [{ field: chosen.field, op: op as (typeof OPS)[number][0], value }]; // of the options
    const condition = parts ? { kind: chosen.kind, filters } : (goal?.condition ?? { kind: chosen.kind });
    const worth = property === '' ? null : { property, ...(currency === '' ? {} : { currency }) };
    onSubmit({ name, condition, value: condition.kind === 'event' ? worth : null });
  };
  return (
    <FormSection title="Settings" variant="primary" onSubmit={submit} {...section}>
      <Input label="Name" name="name" defaultValue={goal?.name} required />
      {parts ? (
        <div className="form-row">
          <Select
            label="It is reached when"
            options={KINDS.map(({ kind, label }) => [kind, label] as const)}
            value={chosen.kind}
            onChange={({ target }) => setChosen(KINDS.find(({ kind }) => kind === target.value) ?? PAGE)}
          />
          <Select label={`The ${chosen.fieldLabel.toLowerCase()}`} name="op" options={OPS} defaultValue={parts.op} />
          <ValueInput key={chosen.kind} kind={chosen} scope={scope} value={parts.value} />
        </div>
      ) : (
        <p className="hint">Its condition has more parts than this form shows; it stays as it is.</p>
      )}
      {chosen.kind === 'event' && <WorthFields goal={goal} />}
    </FormSection>
  );
}

interface ValueInputProps extends Pick<GoalFormProps, 'scope'> {
  readonly kind: Kind;
  readonly value: string;
}

/** The value of a condition, with those that there are in the range. */
function ValueInput({ kind: { fieldLabel, list }, scope, value }: ValueInputProps) {
  const id = useId();
  const { data = [] } = useQuery(suggestionsQuery(scope, list));
  return (
    <>
      <Input
        label={fieldLabel}
        name="value"
        field="condition.filters[0].value"
        defaultValue={value}
        list={id}
        autoComplete="off"
        hint="Empty: any. In a pattern ** is anything, * anything but a slash."
      />
      <datalist id={id}>
        {data.map(({ value: each }) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}

const WorthFields = ({ goal }: Pick<GoalFormProps, 'goal'>) => (
  <div className="form-row">
    <Input
      label="Property with the amount"
      name="property"
      field="value.property"
      defaultValue={goal?.value?.property}
      hint="Such as total. Empty: the goal has no revenue."
    />
    <Input
      label="Currency"
      name="currency"
      field="value.currency"
      defaultValue={typeof goal?.value?.currency === 'string' ? goal.value.currency : ''}
      hint="Such as EUR, of all amounts"
    />
  </div>
);
