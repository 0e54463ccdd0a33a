import type { InputHTMLAttributes } from 'react';
import { Field } from './field';

interface InputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
}

/** A labelled text input; forms read it by its name. */
export const Input = ({ label, hint, error, ...rest }: InputProps) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => <input {...rest} {...control} className="control" />}
  </Field>
);
