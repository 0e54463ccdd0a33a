import { Input } from './input';

interface LocalTimeInputProps {
  readonly label: string;
  readonly name: string;
  readonly at: string | null;
  readonly hint?: string;
  readonly error?: string | undefined;
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
