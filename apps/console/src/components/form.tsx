import { createContext, useContext, useLayoutEffect, useRef, type ReactNode } from 'react';
import { FormError, type FormErrorProps } from './form-error';

interface FormProps extends Partial<FormErrorProps> {
  /** With the texts of the controls, by their names. */
  readonly onSubmit: (texts: Readonly<Record<string, string>>) => void;
  readonly children: ReactNode;
}

const WRONG = '[aria-invalid=true], fieldset[aria-describedby$="-error"] :is(input, button)';

const Refused = createContext<FormErrorProps>({ error: null });

/** A form that a script sends. When it is refused, the first wrong field gets the focus. */
export function Form({ onSubmit, error = null, fields = [], children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const wrong = error && form.current?.querySelector<HTMLElement>(WRONG);
    if (!wrong) return;
    wrong.closest('details')?.setAttribute('open', '');
    wrong.focus();
  }, [error]);
  return (
    <Refused value={{ error, fields }}>
      <form
        ref={form}
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          const entries = [...new FormData(event.currentTarget)];
          onSubmit(Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? value : ''])));
        }}
      >
        {children}
      </form>
    </Refused>
  );
}

/** The end of a form: its buttons, below what was refused of it and no field shows. */
export const FormEnd = ({ children }: { readonly children: ReactNode }) => (
  <>
    <FormError {...useContext(Refused)} />
    <div className="form-actions">{children}</div>
  </>
);

/** The number that a field holds, null for an empty one; any other text, which is for the api to refuse. */
export function numberIn(text = ''): number | null {
  if (text.trim() === '') return null;
  const number = Number(text);
  return Number.isNaN(number) ? (text as unknown as number) : number; // as JSON it would be null, which is a default
}
