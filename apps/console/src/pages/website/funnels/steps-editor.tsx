import { useState } from 'react';
import { wholeMessage } from '../../../api/failure';
import type { QueryScope } from '../../../api/figures';
import { Button } from '../../../components/button';
import { FieldGroup } from '../../../components/choices';
import { Input } from '../../../components/field';
import { ConditionEditor } from '../conditions/condition-editor';
import { newStep, STEPS, type StepDraft } from './funnel-draft';

interface StepsEditorProps {
  readonly steps: readonly StepDraft[];
  readonly error: Error | null;
  /** The scope whose values are suggested. */
  readonly scope: QueryScope;
  readonly onChange: (steps: readonly StepDraft[]) => void;
}

/** The steps of a funnel in their order. */
export function StepsEditor({ steps, error, scope, onChange }: StepsEditorProps) {
  const [moved, setMoved] = useState('');
  /** Exchanges a step with the one after it; what was pressed moves along, and keeps the focus. */
  const exchange = (at: number, said: string, pressed: HTMLElement) => {
    onChange(steps.toSpliced(at, 2, ...steps.slice(at, at + 2).toReversed()));
    setMoved(said);
    requestAnimationFrame(() => pressed.focus());
  };
  return (
    <FieldGroup className="group" legend="Steps" field="steps" error={wholeMessage(error, 'steps') ?? null}>
      {steps.map((step, at) => (
        <StepFields
          key={step.id}
          step={step}
          at={at}
          steps={steps.length}
          error={error}
          scope={scope}
          onChange={(changes) => onChange(steps.with(at, { ...step, ...changes }))}
          onExchange={exchange}
          onRemove={() => onChange(steps.toSpliced(at, 1))}
        />
      ))}
      <p className="visually-hidden" role="status">
        {moved}
      </p>
      <div className="row-actions">
        <Button disabled={steps.length >= STEPS.max} onClick={() => onChange([...steps, newStep()])}>
          Add a step
        </Button>
      </div>
      {steps.length >= STEPS.max && <p className="hint">A funnel has at most {STEPS.max} steps.</p>}
    </FieldGroup>
  );
}

interface StepFieldsProps extends Pick<StepsEditorProps, 'error' | 'scope'> {
  readonly step: StepDraft;
  /** Its index in the funnel. */
  readonly at: number;
  /** The number of steps. */
  readonly steps: number;
  readonly onChange: (changes: Partial<StepDraft>) => void;
  /** Exchanges the step of an index with the one after it. */
  readonly onExchange: (at: number, said: string, pressed: HTMLElement) => void;
  readonly onRemove: () => void;
}

function StepFields({ step, at, steps, error, scope, onChange, onExchange, onRemove }: StepFieldsProps) {
  const path = `steps[${at}]`;
  return (
    <FieldGroup
      className="group"
      legend={`Step ${at + 1}`}
      error={wholeMessage(error, path) ?? wholeMessage(error, `${path}.condition`) ?? null}
    >
      <ConditionEditor
        label="Trigger"
        path={`${path}.condition`}
        draft={step.condition}
        scope={scope}
        onChange={(condition) => onChange({ condition })}
        beside={
          <Input
            label="Name"
            name={`${path}.name`}
            placeholder={`Step ${at + 1}`}
            value={step.name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        }
      />
      <div className="row-actions">
        <Button
          variant="quiet"
          disabled={at === 0}
          onClick={({ currentTarget }) => onExchange(at - 1, `Step ${at + 1} is step ${at} now`, currentTarget)}
        >
          Move up<span className="visually-hidden"> step {at + 1}</span>
        </Button>
        <Button
          variant="quiet"
          disabled={at === steps - 1}
          onClick={({ currentTarget }) => onExchange(at, `Step ${at + 1} is step ${at + 2} now`, currentTarget)}
        >
          Move down<span className="visually-hidden"> step {at + 1}</span>
        </Button>
        {steps > STEPS.min && (
          <Button variant="quiet" onClick={onRemove}>
            Remove step {at + 1}
          </Button>
        )}
      </div>
    </FieldGroup>
  );
}
