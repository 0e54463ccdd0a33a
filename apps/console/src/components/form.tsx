import {
  createContext,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentProps,
  type ReactNode,
} from 'react';
import { ApiError } from '@ledgerline/client';
import { fieldMessage, isOf, messageOf } from '../api/failure';
import { Button } from './button';
import { Notice } from './states';

/** The texts of the controls of a form, by their names; what is not ticked has none. */
export type Texts = Readonly<Record<string, string>>;

/** A request to the api: why it was refused, and whether it is under way. */
export interface RequestState {
  readonly error: Error | null;
  readonly isPending: boolean;
}

export const formTexts = (form: HTMLFormElement): Texts =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']));

interface FormProps {
  /** The change that it sends; each field shows by itself what is refused of it. */
  readonly change?: RequestState;
  readonly onSubmit: (texts: Texts) => void;
  readonly children: ReactNode;
}

const WRONG = '[aria-invalid=true], fieldset[aria-describedby$="-error"] :is(input, button)';

const NOTHING: RequestState = { error: null, isPending: false };

/** `fields` are those that show what is wrong with them themselves. */
const FormState = createContext({ change: NOTHING, fields: new Set<string>() });

/** Returns what is wrong with a field of the form around it, as the api names it; whoever calls this shows it. */
export function useFieldError(field: string | undefined): string | undefined {
  const { change, fields } = useContext(FormState);
  useLayoutEffect(() => {
    if (field !== undefined) fields.add(field);
    return () => void (field !== undefined && fields.delete(field));
  }, [field, fields]);
  return field === undefined ? undefined : fieldMessage(change.error, field);
}

/** A form that a script sends. When it is refused, wrong fields are unfolded, and the first gets the focus. */
export function Form({ onSubmit, change = NOTHING, children }: FormProps) {
  const [fields] = useState(() => new Set<string>());
  const { error } = change;
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const wrong = error ? [...(form.current?.querySelectorAll<HTMLElement>(WRONG) ?? [])] : [];
    for (const field of wrong) field.closest('details')?.setAttribute('open', '');
    wrong[0]?.focus();
  }, [error]);
  return (
    <FormState value={{ change, fields }}>
      <form
        ref={form}
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation(); // it may be in a popover of another form
          onSubmit(formTexts(event.currentTarget));
        }}
      >
        {children}
      </form>
    </FormState>
  );
}

/** The number that a field holds, null for an empty one; any other text, which is for the api to refuse. */
export function numberFromInput(text = ''): number | null {
  if (text.trim() === '') return null;
  const number = Number(text);
  return Number.isNaN(number) ? (text as unknown as number) : number; // as JSON it would be null, which is a default
}

interface FormErrorProps {
  readonly error: Error | null;
  /** The fields that show themselves what is wrong with them. */
  readonly fields?: ReadonlySet<string>;
}

/** Shows what the api refused of a form, except what its fields show. */
export function FormError({ error, fields = new Set() }: FormErrorProps) {
  if (!error) return null;
  const details = error instanceof ApiError ? error.details : [];
  const others = details.filter(({ field }) => !isOf(field, [...fields]));
  if (details.length > 0 && others.length === 0) return null;
  const sentences = others.map(({ message }) => message);
  return <Notice tone="danger">{sentences.length > 0 ? sentences.join(' ') : messageOf(error)}</Notice>;
}

interface FormActionsProps extends Pick<ComponentProps<typeof Button>, 'variant'> {
  /** The text of the button that sends the form. */
  readonly submit: ReactNode;
  /** Closes the dialog that the form is in. */
  readonly onCancel?: () => void;
  /** Beside the button. */
  readonly children?: ReactNode;
}

/** The end of a form: the button that sends it, below what was refused of it and no field shows. */
export function FormActions({ submit, variant, onCancel, children }: FormActionsProps) {
  const { change, fields } = useContext(FormState);
  return (
    <>
      <FormError error={change.error} fields={fields} />
      <div className="form-actions">
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" variant={variant} isBusy={change.isPending}>
          {submit}
        </Button>
        {children}
      </div>
    </>
  );
}
