import { useId, type InputHTMLAttributes, type ReactElement, type SelectHTMLAttributes } from 'react';
import { useFieldError } from './form';

/** The attributes that tie a control to its label, hint and error: `<input {...control} />`. */
interface FieldControl {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

/** The presentation that every control has. */
export interface Labelled {
  readonly label: string;
  readonly hint?: string;
  /** The name that the api gives it, where that is not its `name`; what is refused of it stands beside it. */
  readonly field?: string;
  /** In the place of what the form was refused for. */
  readonly error?: string | undefined;
}

interface FieldProps extends Labelled {
  readonly name: string | undefined;
  readonly children: (control: FieldControl) => ReactElement;
}

/** A label with its control, and what is wrong with it. */
export function FormField({ label, hint, name, field = name, error: given, children }: FieldProps) {
  const id = useId();
  const refused = useFieldError(field);
  const error = given ?? refused;
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described.filter(Boolean).join(' ') || undefined,
        'aria-invalid': error !== undefined,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="field-error">
          {error}
        </p>
      )}
    </div>
  );
}

interface InputProps extends Labelled, Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> {}

/** A labelled text input; forms read it by its name. */
export const Input = ({ label, hint, field, error, ...rest }: InputProps) => (
  <FormField label={label} hint={hint} field={field} error={error} name={rest.name}>
    {(control) => <input {...rest} {...control} className="control" />}
  </FormField>
);

interface SelectProps extends Labelled, Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'children'> {
  /** Values with what is shown for them. */
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A labelled choice of one; the browser's own, which works with every keyboard and screen. */
export const Select = ({ label, hint, field, error, options, ...rest }: SelectProps) => (
  <FormField label={label} hint={hint} field={field} error={error} name={rest.name}>
    {(control) => (
      <select {...rest} {...control} className="control">
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </FormField>
);
