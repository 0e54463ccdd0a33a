import type { Row } from '@ledgerline/domain/query/rows';
import { csvLine } from '../../http/csv-line';
import { invalid } from '../../http/problems';
import { PROBLEM, type QueryResponse } from '../execution/response';
import { queryTypeNamed } from '../types/catalogue';

export const wantsCsv = (accept: string | undefined): boolean => /^\s*text\/csv\b/i.test(accept ?? '');

/** The rows of a response's only parameter. @throws Problem when there are several, or why that one failed */
export function asCsv(response: QueryResponse): string {
  const [entry, second] = 'batch' in response ? [] : response.data;
  if (!entry || second) {
    throw invalid([{ field: 'parameters', message: 'CSV holds the rows of exactly one query type.' }]);
  }
  if (!entry.success) throw entry[PROBLEM];
  return csvOf(Object.keys(queryTypeNamed(entry.parameter)?.fields ?? {}), entry.data);
}

/** Rows as RFC 4180, with a header line; the columns are those a type declares. */
export const csvOf = (columns: readonly string[], rows: readonly Row[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((cells) => csvLine(cells)).join('');
