import { useId } from 'react';
import { Input } from './field';

export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Browsers leave UTC out. */
const ZONES = [...new Set(['UTC', OWN_ZONE, ...Intl.supportedValuesOf('timeZone')])].toSorted();

interface TimeZoneInputProps {
  readonly hint: string;
  readonly defaultValue?: string | undefined;
}

/** Suggests what holds the typed letters, which the list of a choice does not. */
export function TimeZoneInput({ hint, defaultValue = OWN_ZONE }: TimeZoneInputProps) {
  const id = useId();
  return (
    <>
      <Input label="Time zone" name="timezone" list={id} autoComplete="off" defaultValue={defaultValue} hint={hint} />
      <datalist id={id}>
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
