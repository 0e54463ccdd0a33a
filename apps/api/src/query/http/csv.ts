import type { Row } from '@ledgerline/domain/query/rows';
import { csvLine } from '../../http/csv-line';
import { invalid } from '../../http/problems';
import { figuresOf } from '../execution/comparison';
import { PROBLEM, type QueryResponse } from '../execution/response';
import type { QueryType } from '../query-type';
import { queryTypeNamed } from '../types/catalogue';

export const wantsCsv = (accept: string | undefined): boolean => /^\s*text\/csv\b/i.test(accept ?? '');

/** The rows of a response's only parameter. @throws Problem when there are several, or why that one failed */
export function asCsv(response: QueryResponse): string {
  const [entry, second] = 'batch' in response ? [] : response.data;
  if (!entry || second) {
    throw invalid([{ field: 'parameters', message: 'CSV holds the rows of exactly one query type.' }]);
  }
  if (!entry.success) throw entry[PROBLEM];
  const type = queryTypeNamed(entry.parameter);
  return type ? csvOf(columnsOf(type, entry.data), entry.data.map(flattened)) : '';
}

const COMPARED = ['previous', 'change_percent'];

/** The declared fields, and with a comparison two more columns for each figure. */
const columnsOf = (type: QueryType, rows: readonly Row[]): string[] => [
  ...Object.keys(type.fields),
  ...COMPARED.filter((part) => rows.some((row) => part in row)).flatMap((part) =>
    figuresOf(type).map((figure) => `${part}_${figure}`),
  ),
];

function flattened(row: Row): Row {
  const parts = COMPARED.flatMap((part) =>
    Object.entries(row[part] ?? {}).map(([figure, value]) => [`${part}_${figure}`, value] as const),
  );
  return parts.length === 0 ? row : { ...row, ...Object.fromEntries(parts) };
}

/** Rows as RFC 4180, with a header line; the columns are those a type declares. */
export const csvOf = (columns: readonly string[], rows: readonly Row[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((cells) => csvLine(cells)).join('');
