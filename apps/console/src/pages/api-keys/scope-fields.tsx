import { Choice } from '../../components/choice';
import { FieldGroup } from '../../components/field-group';
import { SCOPE_NAMES, SCOPES, type Scope } from './scopes';

interface ScopeFieldsProps {
  readonly scopes: readonly Scope[];
  readonly onChange: (scopes: readonly Scope[]) => void;
  readonly error: string | undefined;
}

export const ScopeFields = ({ scopes, onChange, error }: ScopeFieldsProps) => (
  <FieldGroup legend="What it allows" error={error}>
    {SCOPE_NAMES.map((scope) => (
      <Choice
        key={scope}
        type="checkbox"
        label={`${SCOPES[scope].name} (${scope})`}
        hint={SCOPES[scope].allows}
        checked={scopes.includes(scope)}
        onChange={({ target }) =>
          onChange(target.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope))
        }
      />
    ))}
  </FieldGroup>
);
