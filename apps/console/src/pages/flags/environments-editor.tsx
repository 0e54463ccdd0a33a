import { Button } from '../../components/button';
import { Input } from '../../components/input';
import { Notice } from '../../components/notice';
import { Select } from '../../components/select';
import { newEnvironment, type EnvironmentDraft } from './flag-draft';

interface EnvironmentsEditorProps {
  readonly environments: readonly EnvironmentDraft[];
  readonly messages: readonly string[];
  readonly onChange: (environments: readonly EnvironmentDraft[]) => void;
}

const STATES: readonly (readonly [EnvironmentDraft['status'], string])[] = [
  ['active', 'Active'],
  ['inactive', 'Inactive'],
];

/** The environments in which a flag has another status than elsewhere. */
export function EnvironmentsEditor({ environments, messages, onChange }: EnvironmentsEditorProps) {
  const replace = (id: number, changes: Partial<EnvironmentDraft>) =>
    onChange(environments.map((each) => (each.id === id ? { ...each, ...changes } : each)));
  return (
    <fieldset className="group">
      <legend>States in environments</legend>
      <p className="hint">In place of the status, unless the flag is archived.</p>
      {messages.length > 0 && <Notice tone="danger">{messages.join(' ')}</Notice>}
      {environments.map(({ id, name, status }, at) => (
        <div key={id} className="form-row">
          <Input
            label={`Name of environment ${at + 1}`}
            value={name}
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
    </fieldset>
  );
}
