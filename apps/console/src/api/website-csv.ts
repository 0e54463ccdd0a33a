import { dataOf, type QueryTypeName } from '@ledgerline/client';
import { client } from './client';
import type { QueryScope } from './website-query';

/** The most rows of one response of the api, and of all pages together. */
const ROWS_OF_PAGE = 10_000;
const MAX_ROWS = 1_000_000;

interface Parameter {
  readonly name: QueryTypeName;
}

/** The rows of a list to its end, or of a series, as the CSV of the api. */
export async function websiteCsv(scope: QueryScope, parameter: Parameter, total: number): Promise<string> {
  const pages = Math.ceil(Math.min(Math.max(total, 1), MAX_ROWS) / ROWS_OF_PAGE);
  const texts: string[] = [];
  for (let page = 1; page <= pages; page++) {
    const csv = await csvPage(scope, { parameters: [parameter], limit: ROWS_OF_PAGE, page });
    texts.push(page === 1 ? csv : csv.slice(csv.indexOf('\n') + 1)); // the names of the columns once
  }
  return texts.join('');
}

async function csvPage(
  { website = '', ...scope }: QueryScope,
  request: { readonly parameters: Parameter[]; readonly limit: number; readonly page: number },
): Promise<string> {
  const body = { ...scope, ...request };
  const params = { query: { website_id: website } };
  const answer = await dataOf(
    client.POST('/v1/query', { params, body, headers: { accept: 'text/csv' }, parseAs: 'text' }),
  );
  return answer;
}

/** The same request with curl; the key is for its owner to fill in. */
export function curlOf({ website = '', ...scope }: QueryScope, parameter: object): string {
  const address = `${location.origin}/v1/query?website_id=${encodeURIComponent(website)}`;
  const body = JSON.stringify({ ...scope, parameters: [parameter] });
  return `curl ${quoted(address)} -H 'x-api-key: YOUR_API_KEY' -H 'Content-Type: application/json' -d ${quoted(body)}`;
}

/** A word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
