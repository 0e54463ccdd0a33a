import { useId, type InputHTMLAttributes, type ReactNode } from 'react';
import { useFieldError } from './form';

interface CheckboxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'type'> {
  readonly label: ReactNode;
  readonly hint?: string;
}

/** Yes or no; forms read a checked one as `on`. */
export function Checkbox({ label, hint, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div className="checkbox">
      <input {...rest} id={id} type="checkbox" aria-describedby={hint === undefined ? undefined : `${id}-hint`} />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="hint">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

interface ChoiceProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'type'> {
  readonly type: 'checkbox' | 'radio';
  readonly label: string;
  /** The meaning of the choice. */
  readonly hint?: string;
}

/** A box to tick, or one of several to choose; a `fieldset` groups them. */
export function ChoiceInput({ label, hint, ...rest }: ChoiceProps) {
  const id = useId();
  return (
    <div className="choice">
      <input {...rest} id={id} aria-describedby={hint === undefined ? undefined : `${id}-hint`} />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

interface FieldGroupProps {
  readonly legend: string;
  readonly className?: string;
  /** The name that the api gives all of them together. */
  readonly field?: string;
  /** In the place of what the form was refused for; null for nothing. */
  readonly error?: string | null;
  readonly children: ReactNode;
}

/** Controls that are about one thing. */
export function FieldGroup({ legend, field, error: given, className, children }: FieldGroupProps) {
  const id = `${useId()}-error`;
  const refused = useFieldError(field);
  const error = given === undefined ? refused : (given ?? undefined);
  return (
    <fieldset className={className} aria-describedby={error === undefined ? undefined : id}>
      <legend>{legend}</legend>
      {children}
      {error !== undefined && (
        <p id={id} className="field-error">
          {error}
        </p>
      )}
    </fieldset>
  );
}
