import type { Rollup, StoredFigure } from '@ledgerline/contracts/aggregates/aggregate';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { decodeRollupPart, encodeRollupPart } from './rollup-codec';
import {
  hasEntries,
  layoutOf,
  mergeRollupParts,
  widthOf,
  type RollupLayout,
  type RollupPart,
  type RollupRows,
} from './rollup-part';

const isExtreme = ({ what }: StoredFigure): boolean => what === 'least' || what === 'greatest' || what === 'latest';

/** Returns whether a rollup has figures that do not follow from a difference: extremes, and latest items. */
export const hasExtremes = ({ figures }: Rollup): boolean => figures.some(({ stored }) => isExtreme(stored));

/**
 * Returns what is to be added to a rollup of a website from which sessions are taken.
 * @param taken what they take out, which is mostly less than nothing
 * @param remaining all that remains on those days; needed where the rollup has extremes, which are found anew
 */
export function rollupRetraction(rollup: Rollup, taken: RollupRows, remaining: RollupRows | undefined): RollupRows {
  if (!hasExtremes(rollup)) return taken;
  const layout = layoutOf(rollup);
  const keys = new Set(keysOf(layout, taken));
  const parts = [withoutExtremes(layout, taken, keys), ...(remaining ? [extremesAlone(layout, remaining, keys)] : [])];
  return mergeRollupParts(layout, parts);
}

/** The bytes of a part without the extremes of the rows that something is taken from; undefined if it has none of them. */
export function bytesWithoutExtremes(rollup: Rollup, bytes: Uint8Array, taken: RollupRows): Uint8Array | undefined {
  const layout = layoutOf(rollup);
  const part = decodeRollupPart(rollup, bytes);
  const keys = new Set(keysOf(layout, taken));
  if (!keysOf(layout, part).some((key) => keys.has(key))) return undefined;
  return encodeRollupPart(layout, withoutExtremes(layout, part, keys), 0, part.size);
}

/** The ids of texts that a part has, as keys and as latest items. */
export function* textsInPart(rollup: Rollup, bytes: Uint8Array): Iterable<number> {
  const { columns } = decodeRollupPart(rollup, bytes);
  for (const [nth, { key }] of rollup.keys.entries())
    if (typeof key === 'string' || 'linkDomain' in key) yield* columns[1 + nth] ?? [];
  for (const { stored, first } of layoutOf(rollup).measures) if (stored.what === 'latest') yield* columns[first] ?? [];
}

/** Returns the day and the keys of each row. */
function keysOf({ keys }: RollupLayout, { size, columns }: RollupPart): readonly string[] {
  const named = columns.slice(0, 1 + keys.length);
  return Array.from({ length: size }, (_, row) => named.map((column) => column[row]).join(' '));
}

/** Extremes of rows with these keys become unknown. */
function withoutExtremes<Part extends RollupPart>(layout: RollupLayout, part: Part, keys: ReadonlySet<string>): Part {
  const isTaken = keysOf(layout, part).map((key) => keys.has(key));
  return withFigures(layout, part, (stored, column) =>
    isExtreme(stored) ? Float64Array.from(column, (value, row) => (isTaken[row] ? -1 : value)) : column,
  );
}

/** Returns rows with nothing but the extremes of those with these keys. */
function extremesAlone(layout: RollupLayout, part: RollupRows, keys: ReadonlySet<string>): RollupRows {
  const isTaken = keysOf(layout, part).map((key) => keys.has(key));
  return withFigures(layout, part, (stored, column) => {
    if (isExtreme(stored)) return Float64Array.from(column, (value, row) => (isTaken[row] ? value : -1));
    return new Float64Array(column.length);
  });
}

/** A part with other figures; of entries how many there are. */
function withFigures<Part extends RollupPart>(
  { measures }: RollupLayout,
  part: Part,
  figure: (stored: StoredFigure, column: Numbers) => Numbers,
): Part {
  const columns = [...part.columns];
  for (const { stored, first } of measures) {
    const counted = hasEntries(stored) ? [first + 2] : Array.from({ length: widthOf(stored) }, (_, nth) => first + nth);
    for (const place of counted) columns[place] = figure(stored, columns[place] as Numbers);
  }
  return { ...part, columns };
}
