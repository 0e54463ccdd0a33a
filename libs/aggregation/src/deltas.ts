import type { Rollup, StoredFigure } from '@ledgerline/contracts/aggregates/aggregate';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { durationBin } from '@ledgerline/contracts/sessions/session';
import { marksOf } from './aggregate-terms';
import type { ChangedRows } from './changed-rows';
import type { ChangedSessions } from './changed-sessions';
import { DenseCodes, rowsWhere, take } from './columns';
import { groupRollupItems, type Grouped, type DeltaRows } from './delta-groups';
import { distinctOf, type DistinctDeltas } from './distinct-deltas';
import { latestOf, sumsOf } from './groups';
import {
  hasEntries,
  widthOf,
  type DistinctFigure,
  type RollupLayout,
  type MeasureLayout,
  type RollupRows,
} from './rollup-part';

/** The figures to be added to sums and histograms, and merged into extremes. */
interface ChangedFigures extends DeltaRows {
  readonly figures: Readonly<Record<string, Figure>>;
}

/** A number for each row, or a histogram; of a latest item also by what it is the latest. */
interface Figure {
  readonly values: Float64Array | readonly (readonly number[])[];
  readonly by?: readonly Float64Array[];
}

type RollupFigure = Exclude<StoredFigure, DistinctFigure>;

interface Deltas {
  readonly figures: ChangedFigures;
  /** By measure. */
  readonly distinct: Readonly<Record<string, readonly DistinctDeltas[]>>;
}

const NO_ROWS: DeltaRows = { size: 0, website: new Int32Array(), day: new Float64Array(), keys: {} };
const NOTHING: Deltas = { figures: { ...NO_ROWS, figures: {} }, distinct: {} };

/**
 * Returns what sessions that are added and removed change in a rollup. Those that stay only say when their visitors
 * were there: all that have values in common with the others must be given.
 */
export function deltasOf(rollup: Rollup, changed: ChangedSessions): Deltas {
  const of = groupRollupItems(rollup, changed);
  if (of.of.moved.length === 0) return NOTHING;
  const figures: [string, RollupFigure][] = [];
  const distinct: [string, readonly DistinctDeltas[]][] = [];
  for (const { text: name, stored } of rollup.figures) {
    if (isDistinct(stored)) {
      const { found, incomplete } = distinctOf(of, stored, changed, changed.histories);
      const whole = incomplete.size > 0 ? changed.whole(incomplete) : undefined;
      const others = whole ? [distinctOf(groupRollupItems(rollup, whole), stored, whole, incomplete).found] : [];
      distinct.push([name, [found, ...others]]);
    } else figures.push([name, stored]);
  }
  return { figures: figuresOf(of, figures), distinct: Object.fromEntries(distinct) };
}

const isDistinct = (stored: StoredFigure): stored is DistinctFigure =>
  stored.what === 'visitors' || stored.what === 'sessions';

const CELLS = new DenseCodes();

function figuresOf(
  { of, codes, rowsAt }: Grouped,
  wanted: readonly (readonly [string, RollupFigure])[],
): ChangedFigures {
  const { moved, buckets, bucketCount } = of;
  if (wanted.length === 0) return NOTHING.figures;
  const cells = new Int32Array(moved.length);
  const firsts = new Int32Array(moved.length);
  CELLS.clear(moved.length);
  for (let nth = 0; nth < moved.length; nth++) {
    const at = moved[nth] as number;
    const code = codes[at] as number;
    const cell = code < 0 ? -1 : CELLS.numberOf(code * bucketCount + (buckets[at] as number));
    cells[nth] = cell;
    if (cell === CELLS.size - 1) firsts[cell] = at;
  }
  const into: Cells = { of, cells, count: CELLS.size, changes: new Uint8Array(CELLS.size) };
  const figures = wanted.map(([name, stored]) => [name, changedFigure(into, stored)] as const);
  const rows = rowsWhere(into.changes);
  const chosen = ({ values, by }: Figure): Figure => ({
    values: values instanceof Float64Array ? take(values, rows) : Array.from(rows, (row) => values[row] ?? []),
    ...(by && { by: by.map((column) => take(column, rows)) }),
  });
  return {
    ...rowsAt(take(firsts, rows)),
    figures: Object.fromEntries(figures.map(([name, figure]) => [name, chosen(figure)])),
  };
}

/** The items that come or go, by website, day and keys. */
interface Cells {
  readonly of: ChangedRows;
  /** The cell of each of `of.moved`; -1 = it is left out. */
  readonly cells: Int32Array;
  readonly count: number;
  /** 1 = the row changes. */
  readonly changes: Uint8Array;
}

function changedFigure(into: Cells, stored: RollupFigure): Figure {
  const { moved, items } = into.of;
  const marks = stored.where && marksOf(stored.where, items);
  const marked = marks
    ? { ...into, cells: into.cells.map((cell, nth) => (marks[moved[nth] ?? 0] === 0 ? -1 : cell)) }
    : into;
  if (stored.what === 'sum')
    return changedSums(marked, stored.field === undefined ? undefined : items.field(stored.field));
  const field = items.field(stored.field);
  if (stored.what === 'bins') return changedBins(marked, field);
  if (stored.what === 'latest') return changedLatest(marked, field, stored.by.map(items.field));
  const { values } = changedLatest(marked, field, [stored.what === 'least' ? field.map((value) => -value) : field]);
  return { values };
}

function changedSums({ of: { moved, signs }, cells, count, changes }: Cells, column: Numbers | undefined): Figure {
  const added = new Float64Array(moved.length);
  for (let nth = 0; nth < added.length; nth++) {
    const at = moved[nth] as number;
    added[nth] = (signs[at] as number) * (column ? (column[at] as number) : 1);
  }
  const values = sumsOf({ numbers: cells, count }, added);
  for (let cell = 0; cell < count; cell++) if (values[cell] !== 0) changes[cell] = 1;
  return { values };
}

function changedBins({ of: { moved, signs }, cells, count, changes }: Cells, column: Numbers): Figure {
  const found = new Map<number, Map<number, number>>();
  for (let nth = 0; nth < moved.length; nth++) {
    const at = moved[nth] as number;
    const cell = cells[nth] as number;
    if (cell < 0) continue;
    const bins = found.get(cell) ?? new Map<number, number>();
    if (bins.size === 0) found.set(cell, bins);
    const bin = durationBin(column[at] as number);
    bins.set(bin, (bins.get(bin) ?? 0) + (signs[at] as number));
  }
  const values: (readonly number[])[] = new Array<readonly number[]>(count).fill([]);
  for (const [cell, bins] of found) {
    const entries = [...bins].filter(([, times]) => times !== 0);
    values[cell] = entries.sort(([a], [b]) => a - b).flat();
    if (entries.length > 0) changes[cell] = 1;
  }
  return { values };
}

/** A field of the latest item of each cell, by columns of which the first decides: it only changes by one that is added. */
function changedLatest(
  { of: { moved, signs }, cells, count, changes }: Cells,
  field: Numbers,
  order: readonly Numbers[],
): Figure {
  const latestIn = (numbers: Int32Array) => latestOf({ numbers, count }, order, moved);
  const ofSign = (sign: number) => cells.map((cell, nth) => (signs[moved[nth] as number] === sign ? cell : -1));
  const isSame = (a: number, b: number) => order.every((column) => column[a] === column[b]);
  const whole = latestIn(cells);
  const added = latestIn(ofSign(1));
  const removed = latestIn(ofSign(-1));
  for (let cell = 0; cell < count; cell++) {
    const at = added[cell] as number;
    const before = removed[cell] as number;
    if (at >= 0 && !(before >= 0 && isSame(at, before))) changes[cell] = 1;
  }
  const valuesOf = (column: Numbers) => Float64Array.from(whole, (at) => column[at] ?? 0);
  return { values: valuesOf(field), by: order.map(valuesOf) };
}

/** Returns what a batch changes in a rollup, as rows to be merged. */
export function rowsOfDeltas(layout: RollupLayout, { figures, distinct }: Deltas): readonly RollupRows[] {
  const parts: RollupRows[] = [];
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
  { keys, measures, width }: RollupLayout,
  rows: DeltaRows,
  columnsOf: (measure: MeasureLayout) => readonly Numbers[] | undefined,
): RollupRows {
  const columns: Numbers[] = new Array<Numbers>(width);
  columns[0] = rows.day;
  for (const [nth, key] of keys.entries()) columns[1 + nth] = rows.keys[key] as Numbers;
  for (const measure of measures) {
    const given = columnsOf(measure) ?? nothing(measure.stored, rows.size);
    for (const [nth, column] of given.entries()) columns[measure.first + nth] = column;
  }
  return { size: rows.size, website: rows.website, columns };
}

function nothing(stored: StoredFigure, size: number): readonly Numbers[] {
  if (hasEntries(stored)) return [new Int32Array(size), new Int32Array(), new Int32Array()];
  return Array.from({ length: widthOf(stored) }, () => new Int32Array(size).fill(stored.what === 'sum' ? 0 : -1));
}

function figureColumns({ stored }: MeasureLayout, figure: Figure | undefined): readonly Numbers[] | undefined {
  if (!figure) return undefined;
  const { values, by = [] } = figure;
  if (values instanceof Float64Array) return stored.what === 'latest' ? [values, ...by] : [values];
  const lengths = Int32Array.from(values, (bins) => bins.length / 2);
  const pairs = values.flat();
  return [lengths, everySecond(pairs, 0), everySecond(pairs, 1)];
}

const everySecond = (pairs: readonly number[], from: 0 | 1): Int32Array =>
  Int32Array.from({ length: pairs.length / 2 }, (_, nth) => pairs[2 * nth + from] as number);
