import { fieldMessage, wholeMessage } from '../../api/failure';
import { Button } from '../../components/button';
import { FieldGroup } from '../../components/choices';
import { Input, Select } from '../../components/field';
import { Textarea } from '../../components/text-fields';
import { newRuleCondition, newRule, type RuleConditionDraft, type RuleDraft } from './flag-draft';
import { RULE_OPERATOR_OPTIONS, ROLLOUT_UNIT_OPTIONS } from './flag-words';

interface RulesEditorProps {
  readonly rules: readonly RuleDraft[];
  readonly error: Error | null;
  readonly onChange: (rules: readonly RuleDraft[]) => void;
}

const OUTCOMES = [
  ['true', 'On'],
  ['false', 'Off'],
] as const;

/** Rules in their order: the first that matches decides. */
export function RulesEditor({ rules, error, onChange }: RulesEditorProps) {
  const replace = (id: number, changes: Partial<RuleDraft>) => onChange(replaced(rules, id, changes));
  const moveUp = (at: number) => onChange(rules.toSpliced(at - 1, 2, ...rules.slice(at - 1, at + 1).toReversed()));
  return (
    <FieldGroup className="group" legend="Rules" field="rules" error={wholeMessage(error, 'rules') ?? null}>
      <p className="hint">The first rule that matches decides.</p>
      {rules.map((rule, at) => (
        <FieldGroup
          key={rule.id}
          className="group"
          legend={`Rule ${at + 1}`}
          error={wholeMessage(error, `rules[${at}]`) ?? wholeMessage(error, `rules[${at}].and`)}
        >
          <Conditions
            conditions={rule.conditions}
            of={`rule ${at + 1}`}
            errorAt={(condition, field) =>
              fieldMessage(error, `rules[${at}]${condition === 0 ? '' : `.and[${condition - 1}]`}.${field}`)
            }
            onChange={(conditions) => replace(rule.id, { conditions })}
          />
          <OutcomeFields
            rule={rule}
            error={fieldMessage(error, `rules[${at}].rollout`)}
            onChange={(changes) => replace(rule.id, changes)}
          />
          <div className="row-actions">
            <Button variant="quiet" disabled={at === 0} onClick={() => moveUp(at)}>
              Move up
            </Button>
            <Button variant="quiet" onClick={() => onChange(rules.filter(({ id }) => id !== rule.id))}>
              Remove rule {at + 1}
            </Button>
          </div>
        </FieldGroup>
      ))}
      <div className="row-actions">
        <Button onClick={() => onChange([...rules, newRule()])}>Add a rule</Button>
      </div>
    </FieldGroup>
  );
}

const replaced = <Item extends { readonly id: number }>(items: readonly Item[], id: number, changes: Partial<Item>) =>
  items.map((item) => (item.id === id ? { ...item, ...changes } : item));

interface ConditionsProps {
  readonly conditions: readonly RuleConditionDraft[];
  readonly of: string;
  /** Returns what is wrong with a field of one of them. */
  readonly errorAt: (at: number, field: keyof RuleConditionDraft) => string | undefined;
  readonly onChange: (conditions: readonly RuleConditionDraft[]) => void;
}

/** All of them have to hold. */
const Conditions = ({ conditions, of, errorAt, onChange }: ConditionsProps) => (
  <>
    {conditions.map((condition, at) => (
      <div key={condition.id} data-row className="form-row" role="group" aria-label={`Condition ${at + 1} of ${of}`}>
        <ConditionFields
          condition={condition}
          errorAt={(field) => errorAt(at, field)}
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
      <Button variant="quiet" onClick={() => onChange([...conditions, newRuleCondition()])}>
        Add a condition to {of}
      </Button>
    </div>
  </>
);

interface FieldsProps<Draft> {
  readonly onChange: (changes: Partial<Draft>) => void;
}

interface ConditionFieldsProps extends FieldsProps<RuleConditionDraft> {
  readonly condition: RuleConditionDraft;
  readonly errorAt: (field: keyof RuleConditionDraft) => string | undefined;
}

const ConditionFields = ({ condition, errorAt, onChange }: ConditionFieldsProps) => (
  <>
    <Input
      label="Attribute"
      value={condition.attribute}
      hint="userId, email, organizationId, teamId or properties.<name>"
      error={errorAt('attribute')}
      onChange={({ target }) => onChange({ attribute: target.value })}
    />
    <Select
      label="Operator"
      value={condition.operator}
      options={RULE_OPERATOR_OPTIONS}
      onChange={({ target }) => {
        const [operator] = RULE_OPERATOR_OPTIONS.find(([each]) => each === target.value) ?? [condition.operator];
        onChange({ operator });
      }}
    />
    {condition.operator !== 'exists' && (
      <Textarea
        label="Values"
        rows={2}
        value={condition.values}
        hint="One per line"
        error={errorAt('values')}
        onChange={({ target }) => onChange({ values: target.value })}
      />
    )}
  </>
);

interface OutcomeFieldsProps extends FieldsProps<RuleDraft> {
  readonly rule: RuleDraft;
  /** The fault of its share. */
  readonly error: string | undefined;
}

/** Shows what the rule says, and to whom. */
const OutcomeFields = ({ rule, error, onChange }: OutcomeFieldsProps) => (
  <div className="form-row">
    <Select
      label="Value"
      value={String(rule.enabled)}
      options={OUTCOMES}
      onChange={({ target }) => onChange({ enabled: target.value === 'true' })}
    />
    <Input
      label="Rollout of the rule (%)"
      inputMode="decimal"
      value={rule.percentage}
      hint="Empty: 100 %"
      error={error}
      onChange={({ target }) => onChange({ percentage: target.value })}
    />
    {rule.percentage.trim() !== '' && (
      <Select
        label="Percent of"
        value={rule.by}
        options={ROLLOUT_UNIT_OPTIONS}
        onChange={({ target }) =>
          onChange({ by: ROLLOUT_UNIT_OPTIONS.find(([unit]) => unit === target.value)?.[0] ?? rule.by })
        }
      />
    )}
  </div>
);
