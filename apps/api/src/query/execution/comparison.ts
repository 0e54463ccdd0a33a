import { changePercent } from '@ledgerline/domain/query/comparison';
import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { mapInSlices } from '@ledgerline/platform/log/timing';
import { CHANGE, emptyRow, figuresOf } from '../declaration/fields';
import type { QueryType } from '../declaration/query-type';

/** The count that a list is ordered by, or else the first one of a row. */
export function firstCountOf(type: QueryType): string | undefined {
  const figures = figuresOf(type);
  return type.order.find(({ field }) => figures.includes(field))?.field ?? figures[0];
}

/**
 * Rows with the figures of an earlier range beside them: those of the row with the same labels, in a series of the
 * bucket at the same place, and those of no events where there is none. Both are all rows, before a page is cut out.
 */
export async function withComparison(
  type: QueryType,
  rows: readonly AnswerRow[],
  earlier: readonly AnswerRow[],
): Promise<AnswerRow[]> {
  const figures = figuresOf(type);
  const labels = await labelsOf(type, rows);
  const wanted = new Set(labels);
  const before = new Map<string, AnswerRow | undefined>();
  for (const [place, label] of (await labelsOf(type, earlier)).entries())
    if (wanted.has(label)) before.set(label, earlier[place]);
  return rows.map((row, place) => {
    const old = before.get(labels[place] ?? '') ?? type.row(emptyRow());
    const change = (name: string) => changePercent(numberOf(row[name]), numberOf(old[name]));
    return {
      ...row,
      previous: Object.fromEntries(figures.map((name): [string, unknown] => [name, old[name]])),
      [CHANGE]: Object.fromEntries(figures.map((name) => [name, change(name)])),
    };
  });
}

/**
 * Returns what tells each of the rows apart: the texts that their list is ordered by in the end, and in a series the
 * place of the bucket instead of its date.
 */
function labelsOf({ shape, fields, order }: QueryType, rows: readonly AnswerRow[]): Promise<string[]> {
  const isLabel = (name: string) => fields[name]?.isLabel || fields[name]?.type === 'string';
  const texts = Object.keys(fields).filter((name) => isLabel(name) && name !== 'date');
  const ordered = texts.filter((name) => order.some(({ field }) => field === name));
  const labels = shape === 'list' && ordered.length > 0 ? ordered : texts;
  let bucket = 0;
  return mapInSlices(rows, (row, place) => {
    if (place > 0 && row['date'] !== rows[place - 1]?.['date']) bucket++;
    return JSON.stringify([shape === 'series' ? bucket : 0, ...labels.map((name) => row[name])]);
  });
}

const numberOf = (cell: unknown): number | null => (typeof cell === 'number' ? cell : null);
