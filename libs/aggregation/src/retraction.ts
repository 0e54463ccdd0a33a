import type { Rollup, StoredFigure } from '@ledgerline/contracts/aggregates/aggregate';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { hasEntries, layoutOf, widthOf, type Layout, type RollupRows } from './rollup-part';

/** What is taken out of the rollups of websites. Sums go down; extremes and latest items are found anew. */
export interface Retraction {
  /** What is to be added, by rollup: mostly less than nothing. */
  readonly taken: ReadonlyMap<Rollup, RollupRows>;
  /** All that remains on the days of `taken`; needed of rollups with extremes alone. */
  readonly remaining: ReadonlyMap<Rollup, RollupRows>;
}

const isExtreme = ({ what }: StoredFigure): boolean => what === 'least' || what === 'greatest' || what === 'latest';

/** Whether a rollup has figures that do not follow from a difference: extremes, and latest items. */
export const hasExtremes = ({ figures }: Rollup): boolean => figures.some(({ stored }) => isExtreme(stored));

/** The parts of a rollup that those which are stored become; merged they are what remains. */
export function retracted(
  rollup: Rollup,
  stored: readonly RollupRows[],
  { taken, remaining }: Retraction,
): readonly RollupRows[] {
  const out = taken.get(rollup);
  if (!out) return stored;
  if (!hasExtremes(rollup)) return [...stored, out];
  const layout = layoutOf(rollup);
  const changed = new Set(keysOf(layout, out));
  const anew = remaining.get(rollup);
  return [
    ...stored.map((part) => withoutExtremes(layout, part, changed)),
    withoutExtremes(layout, out, changed),
    ...(anew ? [extremesAlone(layout, anew, changed)] : []),
  ];
}

/** Of each row the website, the day and the keys. */
function keysOf({ keys }: Layout, { size, website, columns }: RollupRows): readonly string[] {
  const named = [website, ...columns.slice(0, 1 + keys.length)];
  return Array.from({ length: size }, (_, row) => named.map((column) => column[row]).join(' '));
}

/** Extremes of rows with these keys become unknown. */
function withoutExtremes(layout: Layout, part: RollupRows, changed: ReadonlySet<string>): RollupRows {
  const isChanged = keysOf(layout, part).map((key) => changed.has(key));
  return withFigures(layout, part, (stored, column) =>
    isExtreme(stored) ? Float64Array.from(column, (value, row) => (isChanged[row] ? -1 : value)) : column,
  );
}

/** Of rows with these keys nothing but the extremes; the others are nothing. */
function extremesAlone(layout: Layout, part: RollupRows, changed: ReadonlySet<string>): RollupRows {
  const isChanged = keysOf(layout, part).map((key) => changed.has(key));
  return withFigures(layout, part, (stored, column) => {
    if (isExtreme(stored)) return Float64Array.from(column, (value, row) => (isChanged[row] ? value : -1));
    return new Float64Array(column.length);
  });
}

/** A part with other figures; of entries how many there are. */
function withFigures(
  { measures }: Layout,
  part: RollupRows,
  figure: (stored: StoredFigure, column: Numbers) => Numbers,
): RollupRows {
  const columns = [...part.columns];
  for (const { stored, first } of measures) {
    const counted = hasEntries(stored) ? [first + 2] : Array.from({ length: widthOf(stored) }, (_, nth) => first + nth);
    for (const place of counted) columns[place] = figure(stored, columns[place] as Numbers);
  }
  return { ...part, columns };
}
