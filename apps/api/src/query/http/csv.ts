import type { Row } from '@ledgerline/domain/query/rows';
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

/** Rows as RFC 4180: CRLF, a header line, quotes where needed; the columns are those a type declares. */
export function csvOf(columns: readonly string[], rows: readonly Row[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

/**
 * Spreadsheets run a text that begins with one of these as a formula, and what visitors send must not run anywhere: such
 * a text gets an apostrophe in front.
 */
const FORMULA = /^[=+\-@\t\r]/;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return quoted(FORMULA.test(text) ? `'${text}` : text);
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
