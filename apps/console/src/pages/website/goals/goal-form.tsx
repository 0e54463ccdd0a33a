import { useState } from 'react';
import type { CreateGoalDto, GoalDto } from '@ledgerline/client';
import type { QueryScope } from '../../../api/figures';
import { Input, Select } from '../../../components/field';
import type { Texts } from '../../../components/form';
import { FormSection, type FormSectionProps } from '../../../components/page-parts';
import {
  changedIn,
  conditionIn,
  conditionDraftOf,
  newCondition,
  conditionRowKeys,
  type ConditionDraft,
} from '../conditions/condition-draft';
import { ConditionEditor } from '../conditions/condition-editor';
import { kindNamed, PROPERTY_NAMES } from '../conditions/condition-kinds';
import type { ConditionSearch } from '../conditions/condition-search';
import { ValueInput } from '../conditions/value-input';
import { AmountHint, amountsOf, eventIn } from './amount-hint';

type GoalSettings = Pick<CreateGoalDto, 'name' | 'condition' | 'value'>;

/** The choices of the currency that amounts have. */
const CURRENCIES = [
  ['none', 'No currency'],
  ['one', 'All the same'],
  ['property', 'By a property'],
] as const;

/** A goal as it is edited. */
interface GoalDraft {
  readonly name: string;
  readonly condition: ConditionDraft;
  /** Empty: it has no revenue. */
  readonly property: string;
  readonly currencyOf: (typeof CURRENCIES)[number][0];
  /** The currency, or the property that names it. */
  readonly currency: string;
}

/** `first`: what a new one asks for. */
function goalDraftOf(goal: GoalDto | undefined, { kind = '', value = '' }: ConditionSearch): GoalDraft {
  const condition = goal ? conditionDraftOf(goal.condition) : newCondition(kindNamed(kind), value);
  return { name: goal?.name ?? '', condition, ...worthDraftOf(goal?.value ?? null) };
}

function worthDraftOf(worth: GoalDto['value']): Omit<GoalDraft, 'name' | 'condition'> {
  const { property = '', currency } = worth ?? {};
  if (currency === undefined) return { property, currencyOf: 'none', currency: '' };
  return typeof currency === 'string'
    ? { property, currencyOf: 'one', currency }
    : { property, currencyOf: 'property', currency: currency.property };
}

const settingsIn = ({ name, condition, ...worth }: GoalDraft): GoalSettings => ({
  name,
  condition: conditionIn(condition),
  value: condition.kind === 'event' ? worthIn(worth) : null,
});

function worthIn({ property, currencyOf, currency }: Omit<GoalDraft, 'name' | 'condition'>): GoalSettings['value'] {
  if (property === '') return null;
  if (currencyOf === 'none') return { property };
  return { property, currency: currencyOf === 'one' ? currency : { property: currency } };
}

interface GoalFormProps extends Pick<FormSectionProps, 'change' | 'submit' | 'cancel'> {
  /** Absent for a new one. */
  readonly goal?: GoalDto;
  /** The condition that a new one begins with. */
  readonly first?: ConditionSearch;
  /** The scope whose values are suggested. */
  readonly scope: QueryScope;
  /** With all settings, and those that differ from what was shown at first. */
  readonly onSubmit: (settings: GoalSettings, changed: Partial<GoalSettings>) => void;
}

/** Shows what a goal is created with and what is changed of it. */
export function GoalForm({ goal, first = {}, scope, change, onSubmit, ...section }: GoalFormProps) {
  const [initial] = useState(() => goalDraftOf(goal, first));
  const [draft, setDraft] = useState(initial);
  const [sent, setSent] = useState(draft);
  const { condition } = draft;
  const submit = ({ name = '' }: Texts) => {
    setSent(draft);
    const settings = settingsIn({ ...draft, name });
    onSubmit(settings, changedIn(settingsIn(initial), settings));
  };
  const error = conditionRowKeys(sent.condition) === conditionRowKeys(condition) ? change.error : null;
  return (
    <FormSection title="Settings" variant="primary" change={{ ...change, error }} onSubmit={submit} {...section}>
      <Input label="Name" name="name" defaultValue={initial.name} required />
      <ConditionEditor
        label="Trigger"
        path="condition"
        draft={condition}
        scope={scope}
        onChange={(next) => setDraft({ ...draft, condition: next })}
      />
      {condition.kind === 'event' ? (
        <WorthFields draft={draft} scope={scope} onChange={setDraft} />
      ) : (
        draft.property !== '' && (
          <p className="hint">Only custom events have amounts: once this is saved, the goal has no revenue.</p>
        )
      )}
    </FormSection>
  );
}

interface WorthFieldsProps {
  readonly draft: GoalDraft;
  readonly scope: QueryScope;
  readonly onChange: (draft: GoalDraft) => void;
}

/** Shows what a conversion is worth. */
function WorthFields({ draft, scope, onChange }: WorthFieldsProps) {
  const { condition, property, currencyOf, currency } = draft;
  const event = eventIn(condition);
  return (
    <>
      <div className="form-row">
        <ValueInput
          label="Property with the amount"
          name="value.property"
          hint="Such as total. Empty: the goal has no revenue."
          value={property}
          onChange={(next) => onChange({ ...draft, property: next })}
          scope={scope}
          values={amountsOf(event)}
          {...(event === undefined ? {} : { property: event })}
          isOptional
        />
        {property !== '' && (
          <Select
            label="Currency"
            name="currencyOf"
            options={CURRENCIES}
            value={currencyOf}
            onChange={({ target }) => {
              const next = CURRENCIES.find(([each]) => each === target.value)?.[0] ?? currencyOf;
              onChange({ ...draft, currencyOf: next, currency: '' });
            }}
          />
        )}
        {property !== '' && currencyOf === 'one' && (
          <Input
            label="Currency of all amounts"
            name="value.currency"
            hint="Three capital letters, such as EUR"
            value={currency}
            onChange={({ target }) => onChange({ ...draft, currency: target.value })}
            required
          />
        )}
        {property !== '' && currencyOf === 'property' && (
          <ValueInput
            label="Property with the currency"
            name="value.currency"
            hint="Such as currency, with texts such as EUR"
            value={currency}
            onChange={(next) => onChange({ ...draft, currency: next })}
            scope={scope}
            values={PROPERTY_NAMES}
          />
        )}
      </div>
      {event !== undefined && property !== '' && <AmountHint event={event} property={property} scope={scope} />}
    </>
  );
}
