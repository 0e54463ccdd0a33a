import { dataOf, type QueryTypeName } from '@ledgerline/client';
import { client } from './client';
import type { QueryScope } from './figures';

interface Parameter {
  readonly name: QueryTypeName;
}

interface Csv {
  /** Of the file: what it is about, the report and the range. */
  readonly name: string;
  readonly text: string;
  /** Why it does not hold all rows; empty if it does. */
  readonly lacks: string;
}

/** Without it spreadsheets read a file as in the encoding of their system. */
const BYTE_ORDER_MARK = '\ufeff';

/** The rows of a list to its end, or of a series, as the CSV of the api. */
export async function websiteCsv(asked: QueryScope, parameter: Parameter): Promise<Csv> {
  const { website, link, monitor: _, ...scope } = asked;
  const params = { query: { website_id: website, link_id: link } };
  const body = { ...scope, parameters: [parameter] };
  const sent = client.POST('/v1/query', { params, body, headers: { accept: 'text/csv' }, parseAs: 'text' });
  const [text, { response }] = await Promise.all([dataOf(sent), sent]);
  const isWhole = response.headers.get('x-truncated') === null;
  const disposition = response.headers.get('content-disposition') ?? '';
  const [, name = `${parameter.name}.csv`] = /UTF-8''(\S+)/.exec(disposition) ?? [];
  return {
    name: decodeURIComponent(name),
    text: BYTE_ORDER_MARK + text,
    lacks: isWhole ? '' : (text.trimEnd().split('\r\n').at(-1) ?? '').replace('# ', ''),
  };
}

/** The same request with curl; the key is for its owner to fill in. */
export function curlOf(asked: QueryScope, parameter: object): string {
  const { website = '', link, monitor: _, ...scope } = asked;
  const [name, id] = link === undefined ? ['website_id', website] : ['link_id', link];
  const address = `${location.origin}/v1/query?${name}=${encodeURIComponent(id)}`;
  const body = JSON.stringify({ ...scope, parameters: [parameter] });
  return `curl ${quoted(address)} -H 'x-api-key: YOUR_API_KEY' -H 'Content-Type: application/json' -d ${quoted(body)}`;
}

/** A word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
