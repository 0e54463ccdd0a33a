import { Checkbox } from './choices';
import type { Texts } from './form';
import { Textarea } from './text-fields';

/** The headers that the api sends to others; it shows none of their values again. */
export const HeadersField = ({ kept = [] }: { readonly kept?: readonly string[] | undefined }) => (
  <>
    <Textarea
      label="Headers"
      name="headers"
      placeholder="authorization: Bearer …"
      rows={2}
      hint={`One per line, as name: value. Encrypted, never shown again.${kept.length > 0 ? ` Empty keeps: ${kept.join(', ')}.` : ''}`}
    />
    {kept.length > 0 && <Checkbox label="Send no headers any more" name="withoutHeaders" />}
  </>
);

/** Reads the headers of the fields for the api; none where those that are kept stay. */
export function headersIn({ headers: text = '', withoutHeaders }: Texts): {
  readonly headers?: Readonly<Record<string, string>>;
} {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return withoutHeaders === undefined ? {} : { headers: {} };
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(':');
    return [name.trim(), value.join(':').trim()];
  });
  return { headers: Object.fromEntries(headers) };
}
