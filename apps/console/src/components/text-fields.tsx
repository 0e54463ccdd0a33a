import { useEffect, useRef, useState, type TextareaHTMLAttributes } from 'react';
import { FormField, Input, type Labelled } from './field';

interface TextareaProps extends Labelled, Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id'> {}

/** A labelled text of several lines; forms read it by its name. */
export const Textarea = ({ label, hint, field, error, ...rest }: TextareaProps) => (
  <FormField label={label} hint={hint} field={field} error={error} name={rest.name}>
    {(control) => <textarea {...rest} {...control} className="control" />}
  </FormField>
);

interface LocalTimeInputProps {
  readonly label: string;
  readonly name: string;
  readonly at: string | null;
  readonly hint?: string;
}

/** A moment in the time zone of the browser; its text is read by `instantOf`. */
export const LocalTimeInput = ({ at, hint = '', ...rest }: LocalTimeInputProps) => (
  <Input
    {...rest}
    type="datetime-local"
    defaultValue={localText(at)}
    hint={`${hint} In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`.trim()}
  />
);

/** ISO 8601; null for an empty text. */
export const instantOf = (text: string | undefined): string | null => (text ? new Date(text).toISOString() : null);

/** The text of the input for a moment, to the minute. */
export function localText(at: string | null): string {
  if (at === null) return '';
  const moment = new Date(at);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const MIN_LENGTH = 10;

/** A password to be set; password managers offer one. */
export const NewPasswordInput = (props: { readonly label: string; readonly name: string }) => (
  <Input {...props} type="password" autoComplete="new-password" required hint={`At least ${MIN_LENGTH} characters.`} />
);

interface SearchInputProps {
  readonly label: string;
  readonly placeholder?: string;
  /** As the address has it. */
  readonly value: string;
  /** Once typing has paused. */
  readonly onSearch: (text: string) => void;
}

const PAUSE_MS = 250;

/** A text that the api searches for, not at every key. */
export function SearchInput({ value, onSearch, ...rest }: SearchInputProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // what is typed since stays, also where the address changes after that
  useEffect(() => setText((typed) => (timer.current !== undefined || typed.trim() === value ? typed : value)), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      onSearch(next.trim());
    }, PAUSE_MS);
  };
  return <Input {...rest} type="search" value={text} onChange={({ target }) => change(target.value)} />;
}
