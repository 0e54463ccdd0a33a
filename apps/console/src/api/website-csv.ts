import { dataOf, type QueryTypeName } from '@ledgerline/client';
import { client } from './client';
import type { QueryScope } from './website-query';

interface Parameter {
  readonly name: QueryTypeName;
}

interface Csv {
  readonly text: string;
  /** Why it does not hold all rows; empty if it does. */
  readonly lacks: string;
}

/** The rows of a list to its end, or of a series, as the CSV of the api. */
export async function websiteCsv({ website = '', ...scope }: QueryScope, parameter: Parameter): Promise<Csv> {
  const params = { query: { website_id: website } };
  const body = { ...scope, parameters: [parameter] };
  const asked = client.POST('/v1/query', { params, body, headers: { accept: 'text/csv' }, parseAs: 'text' });
  const [text, { response }] = await Promise.all([dataOf(asked), asked]);
  const isWhole = response.headers.get('x-truncated') === null;
  return { text, lacks: isWhole ? '' : (text.trimEnd().split('\r\n').at(-1) ?? '').replace('# ', '') };
}

/** The same request with curl; the key is for its owner to fill in. */
export function curlOf({ website = '', ...scope }: QueryScope, parameter: object): string {
  const address = `${location.origin}/v1/query?website_id=${encodeURIComponent(website)}`;
  const body = JSON.stringify({ ...scope, parameters: [parameter] });
  return `curl ${quoted(address)} -H 'x-api-key: YOUR_API_KEY' -H 'Content-Type: application/json' -d ${quoted(body)}`;
}

/** A word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
