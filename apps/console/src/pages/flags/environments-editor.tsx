import { fieldMessage, wholeMessage } from '../../api/failure';
import { Button } from '../../components/button';
import { FieldGroup } from '../../components/field-group';
import { Input } from '../../components/input';
import { Select } from '../../components/select';
import { newEnvironment, type EnvironmentDraft } from './flag-draft';

interface EnvironmentsEditorProps {
  readonly environments: readonly EnvironmentDraft[];
  readonly error: Error | null;
  readonly onChange: (environments: readonly EnvironmentDraft[]) => void;
}

const STATES: readonly (readonly [EnvironmentDraft['status'], string])[] = [
  ['active', 'Active'],
  ['inactive', 'Inactive'],
];

/** The environments in which a flag has another status than elsewhere. */
export function EnvironmentsEditor({ environments, error, onChange }: EnvironmentsEditorProps) {
  const replace = (id: number, changes: Partial<EnvironmentDraft>) =>
    onChange(environments.map((each) => (each.id === id ? { ...each, ...changes } : each)));
  return (
    <FieldGroup className="group" legend="States in environments" error={wholeMessage(error, 'environments')}>
      <p className="hint">In place of the status, unless the flag is archived.</p>
      {environments.map(({ id, name, status }, at) => (
        <div key={id} data-row className="form-row">
          <Input
            label={`Name of environment ${at + 1}`}
            value={name}
            error={fieldMessage(error, `environments[${at}]`)}
            onChange={({ target }) => replace(id, { name: target.value })}
          />
          <Select
            label={`State in environment ${at + 1}`}
            value={status}
            options={STATES}
            onChange={({ target }) =>
              replace(id, { status: STATES.find(([each]) => each === target.value)?.[0] ?? status })
            }
          />
          <div className="row-actions aligned">
            <Button variant="quiet" onClick={() => onChange(environments.filter((each) => each.id !== id))}>
              Remove environment {at + 1}
            </Button>
          </div>
        </div>
      ))}
      <div className="row-actions">
        <Button onClick={() => onChange([...environments, newEnvironment()])}>Add an environment</Button>
      </div>
    </FieldGroup>
  );
}
