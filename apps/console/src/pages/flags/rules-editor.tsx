import { Button } from '../../components/button';
import { Input } from '../../components/input';
import { Notice } from '../../components/notice';
import { Select } from '../../components/select';
import { Textarea } from '../../components/textarea';
import { newCondition, newRule, type ConditionDraft, type RuleDraft } from './flag-draft';
import { OPERATORS, UNITS } from './flag-words';

interface RulesEditorProps {
  readonly rules: readonly RuleDraft[];
  readonly messages: readonly string[];
  readonly onChange: (rules: readonly RuleDraft[]) => void;
}

const OUTCOMES = [
  ['true', 'On'],
  ['false', 'Off'],
] as const;

/** Rules in their order: the first that matches decides. */
export function RulesEditor({ rules, messages, onChange }: RulesEditorProps) {
  const replace = (id: number, changes: Partial<RuleDraft>) => onChange(replaced(rules, id, changes));
  const moveUp = (at: number) => onChange(rules.toSpliced(at - 1, 2, ...rules.slice(at - 1, at + 1).toReversed()));
  return (
    <fieldset className="group">
      <legend>Rules</legend>
      <p className="hint">The first that matches decides, before anything else.</p>
      {messages.length > 0 && <Notice tone="danger">{messages.join(' ')}</Notice>}
      {rules.map((rule, at) => (
        <fieldset key={rule.id} className="group">
          <legend>Rule {at + 1}</legend>
          <Conditions
            conditions={rule.conditions}
            of={`rule ${at + 1}`}
            onChange={(conditions) => replace(rule.id, { conditions })}
          />
          <OutcomeFields rule={rule} onChange={(changes) => replace(rule.id, changes)} />
          <div className="row-actions">
            <Button variant="quiet" disabled={at === 0} onClick={() => moveUp(at)}>
              Move up
            </Button>
            <Button variant="quiet" onClick={() => onChange(rules.filter(({ id }) => id !== rule.id))}>
              Remove rule {at + 1}
            </Button>
          </div>
        </fieldset>
      ))}
      <div className="row-actions">
        <Button onClick={() => onChange([...rules, newRule()])}>Add a rule</Button>
      </div>
    </fieldset>
  );
}

const replaced = <Item extends { readonly id: number }>(items: readonly Item[], id: number, changes: Partial<Item>) =>
  items.map((item) => (item.id === id ? { ...item, ...changes } : item));

interface ConditionsProps {
  readonly conditions: readonly ConditionDraft[];
  readonly of: string;
  readonly onChange: (conditions: readonly ConditionDraft[]) => void;
}

/** All of them have to hold. */
const Conditions = ({ conditions, of, onChange }: ConditionsProps) => (
  <>
    {conditions.map((condition, at) => (
      <div key={condition.id} className="form-row" role="group" aria-label={`Condition ${at + 1} of ${of}`}>
        <ConditionFields
          condition={condition}
          onChange={(changes) => onChange(replaced(conditions, condition.id, changes))}
        />
        {conditions.length > 1 && (
          <div className="row-actions aligned">
            <Button variant="quiet" onClick={() => onChange(conditions.filter(({ id }) => id !== condition.id))}>
              Remove condition {at + 1}
            </Button>
          </div>
        )}
      </div>
    ))}
    <div className="row-actions">
      <Button variant="quiet" onClick={() => onChange([...conditions, newCondition()])}>
        Add a condition to {of}
      </Button>
    </div>
  </>
);

interface FieldsProps<Draft> {
  readonly onChange: (changes: Partial<Draft>) => void;
}

const ConditionFields = ({
  condition,
  onChange,
}: FieldsProps<ConditionDraft> & { readonly condition: ConditionDraft }) => (
  <>
    <Input
      label="Attribute"
      value={condition.attribute}
      hint="userId, email, organizationId, teamId or properties.<name>"
      onChange={({ target }) => onChange({ attribute: target.value })}
    />
    <Select
      label="Compared"
      value={condition.operator}
      options={OPERATORS}
      onChange={({ target }) => {
        const [operator] = OPERATORS.find(([each]) => each === target.value) ?? [condition.operator];
        onChange({ operator });
      }}
    />
    {condition.operator !== 'exists' && (
      <Textarea
        label="Values"
        rows={2}
        value={condition.values}
        hint="One a line"
        onChange={({ target }) => onChange({ values: target.value })}
      />
    )}
  </>
);

/** What the rule says, and to whom. */
const OutcomeFields = ({ rule, onChange }: FieldsProps<RuleDraft> & { readonly rule: RuleDraft }) => (
  <div className="form-row">
    <Select
      label="The flag is"
      value={String(rule.enabled)}
      options={OUTCOMES}
      onChange={({ target }) => onChange({ enabled: target.value === 'true' })}
    />
    <Input
      label="For how many percent of them"
      inputMode="decimal"
      value={rule.percentage}
      hint="Empty: for all of them"
      onChange={({ target }) => onChange({ percentage: target.value })}
    />
    {rule.percentage.trim() !== '' && (
      <Select
        label="Percent of"
        value={rule.by}
        options={UNITS}
        onChange={({ target }) => onChange({ by: UNITS.find(([unit]) => unit === target.value)?.[0] ?? rule.by })}
      />
    )}
  </div>
);
