import { keysOf } from '@ledgerline/contracts/json';
import { Checkbox, FieldGroup } from '../../components/choices';
import { ACTIONS } from '../audit/audit-words';
import { ACTION_GROUPS, type MessageType, OBSERVED, typeText } from './destination-words';

interface MessageTypesProps {
  /** Whether there is this type to choose. */
  readonly has: (type: string) => boolean;
  readonly chosen: readonly MessageType[];
  readonly onChange: (chosen: readonly MessageType[]) => void;
}

/** Which messages a destination gets. */
export function MessageTypes({ has, chosen, onChange }: MessageTypesProps) {
  const box = (type: MessageType) => (
    <Checkbox
      key={type}
      label={typeText(type)}
      checked={chosen.includes(type)}
      onChange={({ target }) => onChange(target.checked ? [...chosen, type] : chosen.filter((each) => each !== type))}
    />
  );
  const changes = chosen.filter((type) => type in ACTIONS).length;
  return (
    <FieldGroup className="group" legend="What it is told" field="sends">
      {keysOf(OBSERVED).filter(has).map(box)}
      <details className="more">
        <summary>Changes in the audit log{changes > 0 && ` (${changes} chosen)`}</summary>
        <div className="filters">
          {ACTION_GROUPS.filter(([, actions]) => actions.some(has)).map(([title, actions]) => (
            <FieldGroup key={title} legend={title} error={null}>
              {actions.filter(has).map(box)}
            </FieldGroup>
          ))}
        </div>
      </details>
    </FieldGroup>
  );
}
