import { fieldMessage, wholeMessage } from '../../api/failure';
import { Button } from '../../components/button';
import { FieldGroup } from '../../components/choices';
import { Input, Select } from '../../components/field';
import { newEnvironment, newVariant, type EnvironmentDraft, type VariantDraft } from './flag-draft';

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
    <FieldGroup
      className="group"
      legend="States in environments"
      field="environments"
      error={wholeMessage(error, 'environments') ?? null}
    >
      <p className="hint">Overrides the status in an environment.</p>
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

interface VariantsEditorProps {
  readonly variants: readonly VariantDraft[];
  readonly error: Error | null;
  readonly onChange: (variants: readonly VariantDraft[]) => void;
}

/** The variants of a flag, each with its weight of the sum of all weights. */
export function VariantsEditor({ variants, error, onChange }: VariantsEditorProps) {
  const replace = (id: number, changes: Partial<VariantDraft>) =>
    onChange(variants.map((variant) => (variant.id === id ? { ...variant, ...changes } : variant)));
  const sum = variants.reduce((all, { weight }) => all + (Number(weight) || 0), 0);
  const shareOf = ({ weight }: VariantDraft) => (sum > 0 ? Math.round(((Number(weight) || 0) / sum) * 1_000) / 10 : 0);
  return (
    <FieldGroup className="group" legend="Variants" field="variants" error={wholeMessage(error, 'variants') ?? null}>
      {variants.map((variant, at) => (
        <div key={variant.id} data-row className="form-row">
          <Input
            label="Key"
            value={variant.key}
            error={fieldMessage(error, `variants[${at}].key`)}
            onChange={({ target }) => replace(variant.id, { key: target.value })}
          />
          <Input
            label="Value"
            value={variant.value}
            error={fieldMessage(error, `variants[${at}].value`)}
            hint="JSON; anything else is a text"
            onChange={({ target }) => replace(variant.id, { value: target.value })}
          />
          <Input
            label="Weight"
            inputMode="decimal"
            value={variant.weight}
            error={fieldMessage(error, `variants[${at}].weight`)}
            hint={`${shareOf(variant)} % of people`}
            onChange={({ target }) => replace(variant.id, { weight: target.value })}
          />
          <div className="row-actions aligned">
            <Button variant="quiet" onClick={() => onChange(variants.filter(({ id }) => id !== variant.id))}>
              Remove {variant.key}
            </Button>
          </div>
        </div>
      ))}
      <div className="row-actions">
        <Button onClick={() => onChange([...variants, newVariant(`variant-${variants.length}`)])}>Add a variant</Button>
      </div>
    </FieldGroup>
  );
}
