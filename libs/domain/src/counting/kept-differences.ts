import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import type { Kept } from './count';
import type { Differences, Figure } from './differences';
import { hasEntries, widthOf, type Layout, type MeasureLayout, type PackRows } from './kept-pack';
import type { KeptRows } from './kept-rows';

/** What a batch changes in a count, as rows to be merged. */
export function rowsOfDifferences(layout: Layout, { figures, distinct }: Differences): readonly PackRows[] {
  const parts: PackRows[] = [];
  if (figures.size > 0)
    parts.push(filled(layout, figures, (measure) => figureColumns(measure, figures.figures[measure.name])));
  for (const measure of layout.measures) {
    for (const each of distinct[measure.name] ?? []) {
      if (each.size === 0) continue;
      const ago = Int32Array.from(each.previousDay, (day, row) =>
        day === -Infinity ? 0 : (each.day[row] as number) - day,
      );
      const ones = new Int32Array(each.size).fill(1);
      parts.push(filled(layout, each, (of) => (of === measure ? [ones, ago, each.count] : undefined)));
    }
  }
  return parts;
}

function filled(
  { keys, measures, width }: Layout,
  rows: KeptRows,
  columnsOf: (measure: MeasureLayout) => readonly Numbers[] | undefined,
): PackRows {
  const columns: Numbers[] = new Array<Numbers>(width);
  columns[0] = rows.day;
  for (const [nth, key] of keys.entries()) columns[1 + nth] = rows.keys[key] as Numbers;
  for (const measure of measures) {
    const given = columnsOf(measure) ?? nothing(measure.kept, rows.size);
    for (const [nth, column] of given.entries()) columns[measure.first + nth] = column;
  }
  return { size: rows.size, website: rows.website, columns };
}

function nothing(kept: Kept, size: number): readonly Numbers[] {
  if (hasEntries(kept)) return [new Int32Array(size), new Int32Array(), new Int32Array()];
  return Array.from({ length: widthOf(kept) }, () => new Int32Array(size).fill(kept.what === 'sum' ? 0 : -1));
}

function figureColumns({ kept }: MeasureLayout, figure: Figure | undefined): readonly Numbers[] | undefined {
  if (!figure) return undefined;
  const { values, by = [] } = figure;
  if (values instanceof Float64Array) return kept.what === 'latest' ? [values, ...by] : [values];
  const lengths = Int32Array.from(values, (bins) => bins.length / 2);
  const pairs = values.flat();
  return [lengths, everySecond(pairs, 0), everySecond(pairs, 1)];
}

const everySecond = (pairs: readonly number[], from: 0 | 1): Int32Array =>
  Int32Array.from({ length: pairs.length / 2 }, (_, nth) => pairs[2 * nth + from] as number);
