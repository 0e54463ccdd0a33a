import type { ReactNode } from 'react';

interface FormProps {
  /** With the texts of the controls, by their names. */
  readonly onSubmit: (texts: Readonly<Record<string, string>>) => void;
  readonly children: ReactNode;
}

/** A form that a script sends. */
export const Form = ({ onSubmit, children }: FormProps) => (
  <form
    className="form"
    onSubmit={(event) => {
      event.preventDefault();
      const entries = [...new FormData(event.currentTarget)];
      onSubmit(Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? value : ''])));
    }}
  >
    {children}
  </form>
);
