import type { Row } from '@ledgerline/domain/query/rows';
import { csvLine } from '../../http/csv-line';
import { figuresOf } from '../execution/answer';
import { CUT, HIDDEN, PROBLEM, TOTAL, type QueryResponse } from '../execution/response';
import type { QueryType } from '../query-type';
import { queryTypeNamed } from '../types/catalogue';

export const wantsCsv = (accept: string | undefined): boolean => /^\s*text\/csv\b/i.test(accept ?? '');

interface Csv {
  readonly headers: Readonly<Record<string, string>>;
  readonly lines: Iterable<string>;
}

/** The rows of a response's only parameter. @throws Problem why it failed */
export function asCsv(response: QueryResponse): Csv {
  const [entry] = 'batch' in response ? [] : response.data;
  const type = entry && queryTypeNamed(entry.parameter);
  if (!type) throw new Error('CSV is of one query type.');
  if (!entry.success) throw entry[PROBLEM];
  const { data, [TOTAL]: total, [HIDDEN]: hidden, [CUT]: isCut } = entry;
  const rest = isCut
    ? `# Not whole: ${data.length} of ${total} rows. Ask for a shorter range or with filters.\r\n`
    : '';
  return {
    headers: {
      ...(total === undefined ? {} : { 'x-total-rows': String(total) }),
      ...(hidden ? { 'x-hidden-rows': String(hidden) } : {}),
      ...(isCut ? { 'x-truncated': 'true' } : {}),
    },
    lines: csvOf(columnsOf(type, data), data, rest),
  };
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

const ROWS_AT_ONCE = 500;

/** Rows as RFC 4180, some lines at a time, after a line of the names of the columns. */
export function* csvOf(columns: readonly string[], rows: readonly Row[], rest = ''): Iterable<string> {
  yield csvLine(columns);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE).map(flattened);
    yield some.map((row) => csvLine(columns.map((column) => row[column]))).join('');
  }
  if (rest) yield rest;
}
