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
  const replace = (at: number, changes: Partial<StepDraft>) => {
    const step = steps[at];
    if (step) onChange(steps.with(at, { ...step, ...changes }));
  };
  /** Exchanges a step with the one after it; what was pressed moves along, and keeps the focus. */
  const exchange = (at: number, said: string, pressed: HTMLElement) => {
    onChange(steps.toSpliced(at, 2, ...steps.slice(at, at + 2).toReversed()));
    setMoved(said);
    requestAnimationFrame(() => pressed.focus());
  };
  return (
    <FieldGroup className="group" legend="Steps" field="steps" error={wholeMessage(error, 'steps') ?? null}>
      {steps.map((step, at) => (
        <FieldGroup
          key={step.id}
          className="group"
          legend={`Step ${at + 1}`}
          error={wholeMessage(error, `steps[${at}]`) ?? wholeMessage(error, `steps[${at}].condition`) ?? null}
        >
          <ConditionEditor
            label="Trigger"
            path={`steps[${at}].condition`}
            draft={step.condition}
            scope={scope}
            onChange={(condition) => replace(at, { condition })}
            beside={
              <Input
                label="Name"
                name={`steps[${at}].name`}
                placeholder={`Step ${at + 1}`}
                value={step.name}
                onChange={({ target }) => replace(at, { name: target.value })}
              />
            }
          />
          <div className="row-actions">
            <Button
              variant="quiet"
              disabled={at === 0}
              onClick={({ currentTarget }) => exchange(at - 1, `Step ${at + 1} is step ${at} now`, currentTarget)}
            >
              Move up<span className="visually-hidden"> step {at + 1}</span>
            </Button>
            <Button
              variant="quiet"
              disabled={at === steps.length - 1}
              onClick={({ currentTarget }) => exchange(at, `Step ${at + 1} is step ${at + 2} now`, currentTarget)}
            >
              Move down<span className="visually-hidden"> step {at + 1}</span>
            </Button>
            {steps.length > STEPS.min && (
              <Button variant="quiet" onClick={() => onChange(steps.toSpliced(at, 1))}>
                Remove step {at + 1}
              </Button>
            )}
          </div>
        </FieldGroup>
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
