import { dataOf, type QueryTypeName } from '@ledgerline/client';
import { client } from './client';
import { partsOf, type QueryScope } from './figures';

interface CsvFile {
  /** What it is about, the report and the range. */
  readonly name: string;
  readonly text: string;
  /** Why it does not hold all rows; empty if it does. */
  readonly lacks: string;
}

/** Without it spreadsheets read a file as in the encoding of their system. */
const BYTE_ORDER_MARK = '\ufeff';

/** The rows of a list to its end, or of a series, as the CSV of the api. */
export async function readCsv(asked: QueryScope, parameter: { readonly name: QueryTypeName }): Promise<CsvFile> {
  const { query, scope } = partsOf(asked);
  const body = { ...scope, parameters: [parameter] };
  const sent = client.POST('/v1/query', { params: { query }, body, headers: { accept: 'text/csv' }, parseAs: 'text' });
  const [text, { response }] = await Promise.all([dataOf(sent), sent]);
  return csvFile(text, response.headers);
}

/** An answer of the api in CSV, as people save it. */
function csvFile(text: string, headers: Headers): CsvFile {
  const [, name = 'figures.csv'] = /UTF-8''(\S+)/.exec(headers.get('content-disposition') ?? '') ?? [];
  const isWhole = headers.get('x-truncated') === null;
  return {
    name: decodeURIComponent(name),
    text: BYTE_ORDER_MARK + text,
    lacks: isWhole ? '' : (text.trimEnd().split('\r\n').at(-1) ?? '').replace('# ', ''),
  };
}
