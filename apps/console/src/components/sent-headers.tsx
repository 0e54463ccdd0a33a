import { Textarea } from './text-fields';

/** The headers that the api sends to others; it shows none of their values again. */
export const HeadersField = ({ kept = [] }: { readonly kept?: readonly string[] | undefined }) => (
  <Textarea
    label="Headers"
    name="headers"
    placeholder="authorization: Bearer …"
    rows={2}
    hint={`One per line, as name: value. Encrypted, never shown again.${kept.length > 0 ? ` Empty keeps: ${kept.join(', ')}.` : ''}`}
  />
);

/** Reads the headers of the field for the api; none where it is empty. */
export function headersIn(text: string): { readonly headers?: Readonly<Record<string, string>> } {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return {};
  const headers = lines.map((line) => {
    const [name = '', ...value] = line.split(':');
    return [name.trim(), value.join(':').trim()];
  });
  return { headers: Object.fromEntries(headers) as Readonly<Record<string, string>> }; // pairs of texts
}
