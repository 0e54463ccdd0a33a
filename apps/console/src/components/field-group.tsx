import { useId, type ReactNode } from 'react';

interface FieldGroupProps {
  readonly legend: string;
  readonly className?: string;
  /** What is wrong with all of them together. */
  readonly error: string | undefined;
  readonly children: ReactNode;
}

/** Controls that are about one thing. */
export function FieldGroup({ legend, error, className, children }: FieldGroupProps) {
  const id = `${useId()}-error`;
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
