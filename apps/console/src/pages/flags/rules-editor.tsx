import { Button } from '../../components/button';
import { Input } from '../../components/input';
import { Notice } from '../../components/notice';
import { Select } from '../../components/select';
import { Textarea } from '../../components/textarea';
import { newRule, type RuleDraft } from './flag-draft';
import { OPERATORS } from './flag-words';

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
  const replace = (id: number, changes: Partial<RuleDraft>) =>
    onChange(rules.map((rule) => (rule.id === id ? { ...rule, ...changes } : rule)));
  const moveUp = (at: number) => onChange(rules.toSpliced(at - 1, 2, ...rules.slice(at - 1, at + 1).toReversed()));
  return (
    <fieldset className="group">
      <legend>Rules</legend>
      <p className="hint">The first that matches decides, before anything else.</p>
      {messages.length > 0 && <Notice tone="danger">{messages.join(' ')}</Notice>}
      {rules.map((rule, at) => (
        <fieldset key={rule.id} className="group">
          <legend>Rule {at + 1}</legend>
          <RuleFields rule={rule} onChange={(changes) => replace(rule.id, changes)} />
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

interface RuleFieldsProps {
  readonly rule: RuleDraft;
  readonly onChange: (changes: Partial<RuleDraft>) => void;
}

const RuleFields = ({ rule, onChange }: RuleFieldsProps) => (
  <div className="form-row">
    <Input
      label="Attribute"
      value={rule.attribute}
      hint="userId, email or properties.<name>"
      onChange={({ target }) => onChange({ attribute: target.value })}
    />
    <Select
      label="Compared"
      value={rule.operator}
      options={OPERATORS}
      onChange={({ target }) => {
        const [operator] = OPERATORS.find(([each]) => each === target.value) ?? [rule.operator];
        onChange({ operator });
      }}
    />
    {rule.operator !== 'exists' && (
      <Textarea
        label="Values"
        rows={2}
        value={rule.values}
        hint="One a line"
        onChange={({ target }) => onChange({ values: target.value })}
      />
    )}
    <Select
      label="The flag is"
      value={String(rule.enabled)}
      options={OUTCOMES}
      onChange={({ target }) => onChange({ enabled: target.value === 'true' })}
    />
  </div>
);
