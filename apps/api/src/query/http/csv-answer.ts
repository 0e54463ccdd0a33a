import { isObject } from '@ledgerline/contracts/json';
import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { attachment, csvLine } from '../../http/csv';
import { figuresOf, type ResultFields } from '../declaration/fields';
import type { AnsweredRequest, ParameterResult } from '../execution/response';
import type { QueryParameter } from '../request/read-requests';

interface Csv {
  readonly headers: Readonly<Record<string, string>>;
  readonly lines: Iterable<string>;
}

/** The rows of an answer's only parameter, as a file named after what was asked. @throws Problem why it failed */
export function asCsv([answer]: readonly AnsweredRequest[], target: string): Csv {
  const parameter = answer?.request.parameters[0];
  const result = answer?.results[0];
  if (!parameter || !result) throw new Error('CSV is of one query type.');
  if (result.failure) throw result.failure;
  const { type } = parameter;
  const { rows, total = 0 } = result;
  const isCut = parameter.isWhole === true && rows.length < total;
  const rest = `# Not whole: ${rows.length} of ${total} rows. Ask for a shorter range or with filters.\r\n`;
  const columns = [...columnsOf(type.fields, rows), ...comparedColumns(figuresOf(type), rows)];
  return { headers: headersOf(parameter, result, target, isCut), lines: csvOf(columns, rows, isCut ? rest : '') };
}

const headersOf = (
  { type, startDate, endDate }: QueryParameter,
  { total, hidden }: ParameterResult,
  target: string,
  isCut: boolean,
): Csv['headers'] => ({
  'content-disposition': attachment([target, type.name, ...new Set([startDate, endDate])], 'csv'),
  ...(total === undefined ? {} : { 'x-total-rows': String(total) }),
  ...(hidden ? { 'x-hidden-rows': String(hidden) } : {}),
  ...(isCut ? { 'x-truncated': 'true' } : {}),
});

interface Column {
  readonly name: string;
  readonly cellIn: (row: AnswerRow) => unknown;
}

const column = (name: string): Column => ({ name, cellIn: (row) => row[name] });

const memberColumn = (name: string, field: string, of: string): Column => ({
  name,
  cellIn: (row) => membersIn(row[field])[of],
});

/** Visitors choose the names of properties and currencies: of more than so many there is one column of texts. */
const MAX_MEMBERS = 50;

/** A column for each field; one for each member of an object, and for each currency of sums. */
export const columnsOf = (fields: ResultFields, rows: readonly AnswerRow[]): readonly Column[] =>
  Object.entries(fields).flatMap(([field, { type, items }]) => {
    if (type !== 'object' && !items?.['currency']) return [column(field)];
    const names = new Set<string>();
    for (const row of rows) {
      for (const name of Object.keys(membersIn(row[field]))) names.add(name);
      if (names.size > MAX_MEMBERS) return [{ name: field, cellIn: (each: AnswerRow) => membersIn(each[field]) }];
    }
    return [...names].sort().map((name) => memberColumn(`${field}_${name}`, field, name));
  });

interface Sum {
  readonly currency: string | null;
  readonly sum: number;
}

/** Returns the members of a cell; of sums their currencies. */
const membersIn = (cell: unknown): AnswerRow =>
  Array.isArray(cell)
    ? Object.fromEntries(cell.map(({ currency, sum }: Sum) => [currency ?? 'unknown', sum]))
    : { ...(isObject(cell) && cell) };

/** Two more for each figure of a comparison. */
const comparedColumns = (figures: readonly string[], rows: readonly AnswerRow[]): readonly Column[] =>
  ['previous', 'change_percent']
    .filter((part) => rows.some((row) => part in row))
    .flatMap((part) => figures.map((figure) => memberColumn(`${part}_${figure}`, part, figure)));

const ROWS_AT_ONCE = 500;

/** Rows as RFC 4180, some lines at a time, after a line of the names of the columns. */
export function* csvOf(columns: readonly Column[], rows: readonly AnswerRow[], rest = ''): Iterable<string> {
  yield csvLine(columns.map(({ name }) => name));
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE);
    yield some.map((row) => csvLine(columns.map(({ cellIn }) => cellIn(row)))).join('');
  }
  if (rest) yield rest;
}
