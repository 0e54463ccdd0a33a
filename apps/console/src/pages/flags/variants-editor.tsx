import { Button } from '../../components/button';
import { Input } from '../../components/input';
import { Notice } from '../../components/notice';
import { newVariant, type VariantDraft } from './flag-draft';

interface VariantsEditorProps {
  readonly variants: readonly VariantDraft[];
  readonly messages: readonly string[];
  readonly onChange: (variants: readonly VariantDraft[]) => void;
}

/** The variants of a flag, each with its weight of the sum of all weights. */
export function VariantsEditor({ variants, messages, onChange }: VariantsEditorProps) {
  const replace = (id: number, changes: Partial<VariantDraft>) =>
    onChange(variants.map((variant) => (variant.id === id ? { ...variant, ...changes } : variant)));
  const sum = variants.reduce((all, { weight }) => all + (Number(weight) || 0), 0);
  const shareOf = ({ weight }: VariantDraft) => (sum > 0 ? Math.round(((Number(weight) || 0) / sum) * 1_000) / 10 : 0);
  return (
    <fieldset className="group">
      <legend>Variants</legend>
      {messages.length > 0 && <Notice tone="danger">{messages.join(' ')}</Notice>}
      {variants.map((variant) => (
        <div key={variant.id} className="form-row">
          <Input
            label="Key"
            value={variant.key}
            onChange={({ target }) => replace(variant.id, { key: target.value })}
          />
          <Input
            label="Value"
            value={variant.value}
            hint="JSON; anything else is a text"
            onChange={({ target }) => replace(variant.id, { value: target.value })}
          />
          <Input
            label="Weight"
            inputMode="decimal"
            value={variant.weight}
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
    </fieldset>
  );
}
