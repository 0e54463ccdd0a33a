import { fieldMessage, wholeMessage } from '../../api/failure';
import { Button } from '../../components/button';
import { FieldGroup } from '../../components/field-group';
import { Input } from '../../components/input';
import { newVariant, type VariantDraft } from './flag-draft';

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
    <FieldGroup className="group" legend="Variants" error={wholeMessage(error, 'variants')}>
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
