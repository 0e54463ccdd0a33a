import type { TextareaHTMLAttributes } from 'react';
import { Field } from './field';

interface TextareaProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id'> {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
}

/** A labelled text of several lines; forms read it by its name. */
export const Textarea = ({ label, hint, error, ...rest }: TextareaProps) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => <textarea {...rest} {...control} className="control" />}
  </Field>
);
