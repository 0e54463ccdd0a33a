import { useId, type InputHTMLAttributes } from 'react';

interface ChoiceProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'type'> {
  readonly type: 'checkbox' | 'radio';
  readonly label: string;
  /** What it means to choose it. */
  readonly hint?: string;
}

/** A box to tick, or one of several to choose; a `fieldset` groups them. */
export function Choice({ label, hint, ...rest }: ChoiceProps) {
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
