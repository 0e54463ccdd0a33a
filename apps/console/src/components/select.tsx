import type { SelectHTMLAttributes } from 'react';
import { Field } from './field';

interface SelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'children'> {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  /** Values with what is shown for them. */
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A labelled choice of one; the browser's own, which works with every keyboard and screen. */
export const Select = ({ label, hint, error, options, ...rest }: SelectProps) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => (
      <select {...rest} {...control} className="control">
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);
