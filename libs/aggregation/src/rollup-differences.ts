import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import type { DayWindow } from '@ledgerline/contracts/sessions/local-session';
import { columnsBetween } from './rollup-codec';
import {
  firstFrom,
  hasEntries,
  layoutOf,
  mergeRollupParts,
  widthOf,
  type RollupPart,
  type RollupLayout,
  type MeasureLayout,
  type RollupRows,
} from './rollup-part';

/** A part whose bytes are damaged; what was in it is missing. */
export interface UnreadablePack {
  readonly website: number;
  /** The first day that its row says it has numbers of. */
  readonly day: number;
}

interface ReadPacks {
  readonly pack: RollupRows;
  readonly unreadable: readonly UnreadablePack[];
}

/** The rows of a part of one website on some days. */
export function rowsOn(count: Rollup, pack: RollupPart, website: number, { since, until }: DayWindow): RollupRows {
  const days = pack.columns[0] as Numbers;
  const from = firstFrom(days, since);
  const to = firstFrom(days, until + 1);
  const columns = [...columnsBetween(layoutOf(count), pack, from, to)];
  return { size: to - from, columns, website: new Int32Array(to - from).fill(website) };
}

/** A row of a count that is not what it should be. */
export interface RollupDifference {
  readonly website: number;
  readonly day: number;
  /** The other keys that it is by. */
  readonly key: Figures;
  /** Null = it should not be there, or is not. */
  readonly expected: Figures | null;
  readonly found: Figures | null;
}

type Figures = Readonly<Record<string, unknown>>;

/** The figures of a day whose parts cannot be read. */
const UNREADABLE: Figures = { pack: 'cannot be read' };

/** In which rows a count differs from what it should be: where one less the other is something. */
export function rollupDifferences(count: Rollup, expected: ReadPacks, found: ReadPacks): RollupDifference[] {
  const differences = [
    ...expected.unreadable.map((each) => ({ ...each, key: {}, expected: UNREADABLE, found: null })),
    ...found.unreadable.map((each) => ({ ...each, key: {}, expected: null, found: UNREADABLE })),
  ];
  const layout = layoutOf(count);
  const differing = mergeRollupParts(addedUp(layout), [
    signed(layout, expected.pack, 1),
    signed(layout, found.pack, -1),
  ]);
  if (differing.size === 0) return differences;
  const should = new ReadableRows(layout, expected.pack);
  const is = new ReadableRows(layout, found.pack);
  const rows = Array.from({ length: differing.size }, (_, row): RollupDifference => {
    const place = placeOf(layout, differing, row);
    return { ...place, expected: should.at(place), found: is.at(place) };
  });
  return [...differences, ...rows];
}

/** A layout with the same columns, of which those of extremes and latest items are added, too. */
function addedUp({ keys, measures, width }: RollupLayout): RollupLayout {
  const sumsOf = (measure: MeasureLayout): readonly MeasureLayout[] =>
    hasEntries(measure.stored)
      ? [measure]
      : placesOf(measure).map((first) => ({ name: measure.name, stored: { what: 'sum' }, first }));
  return { keys, measures: measures.flatMap(sumsOf), width };
}

const placesOf = ({ stored, first }: MeasureLayout): readonly number[] =>
  Array.from({ length: widthOf(stored) }, (_, nth) => first + nth);

/** The rows with a sign. Extremes of items that were all taken away are still there, and say nothing. */
function signed(layout: RollupLayout, pack: RollupRows, sign: 1 | -1): RollupRows {
  const columns = [...pack.columns];
  const signs = Float64Array.from(columns[0] as Numbers, (_, row) => (isSomething(layout, pack, row) ? sign : 0));
  for (const measure of layout.measures) {
    if (hasEntries(measure.stored))
      columns[measure.first + 2] = Float64Array.from(columns[measure.first + 2] as Numbers, (count) => sign * count);
    else
      for (const place of placesOf(measure))
        columns[place] = signs.map((each, row) => each * (pack.columns[place]?.[row] as number));
  }
  return { ...pack, columns };
}

const isSomething = ({ measures }: RollupLayout, { columns }: RollupRows, row: number): boolean =>
  measures.some(({ stored, first }) => (stored.what === 'sum' || hasEntries(stored)) && columns[first]?.[row] !== 0);

/**
 * Returns what is to be added to the rows of the sessions of a website from a day on, so that both are what the rows of
 * all sessions are. Extremes and latest items from that day on are those of the later sessions alone.
 */
export function rollupRest(count: Rollup, all: RollupRows, later: RollupRows, day: number): RollupRows {
  const layout = layoutOf(count);
  const website = all.website[0] ?? later.website[0] ?? 0;
  const before = rowsOn(count, all, website, { since: -Infinity, until: day - 1 });
  const after = rowsOn(count, all, website, { since: day, until: Infinity });
  return mergeRollupParts(layout, [before, summed(layout, after, 1), summed(layout, later, -1)]);
}

/** The rows with a sign, without extremes and latest items. */
function summed(layout: RollupLayout, pack: RollupRows, sign: 1 | -1): RollupRows {
  const columns = [...pack.columns];
  const times = (place: number) => Float64Array.from(pack.columns[place] as Numbers, (each) => sign * each);
  for (const measure of layout.measures) {
    const { stored, first } = measure;
    if (hasEntries(stored)) columns[first + 2] = times(first + 2);
    else
      for (const place of placesOf(measure))
        columns[place] = stored.what === 'sum' ? times(place) : new Float64Array(pack.size).fill(-1);
  }
  return { ...pack, columns };
}

type Place = Pick<RollupDifference, 'website' | 'day' | 'key'>;

function placeOf({ keys }: RollupLayout, { website, columns }: RollupRows, row: number): Place {
  const key = Object.fromEntries(keys.map((name, nth) => [name, columns[1 + nth]?.[row]]));
  return { website: website[row] as number, day: columns[0]?.[row] as number, key };
}

/** The rows of a part by their keys, for people. */
class ReadableRows {
  private readonly rows = new Map<string, number>();
  private readonly starts = new Map<number, readonly number[]>();

  constructor(
    private readonly layout: RollupLayout,
    private readonly pack: RollupRows,
  ) {
    for (let row = 0; row < pack.size; row++)
      if (isSomething(layout, pack, row)) this.rows.set(JSON.stringify(placeOf(layout, pack, row)), row);
  }

  at(place: Place): Figures | null {
    const row = this.rows.get(JSON.stringify(place));
    if (row === undefined) return null;
    return Object.fromEntries(this.layout.measures.map((measure) => [measure.name, this.figure(measure, row)]));
  }

  private figure(measure: MeasureLayout, row: number): unknown {
    const { stored, first } = measure;
    if (!hasEntries(stored)) {
      const values = placesOf(measure).map((place) => this.pack.columns[place]?.[row]);
      return stored.what === 'latest' ? values : values[0];
    }
    const [from, to] = [0, 1].map((further) => this.startsOf(first)[row + further]);
    const [at, counts] = [1, 2].map((nth) =>
      Array.from((this.pack.columns[first + nth] as Numbers).subarray(from, to)),
    );
    return Object.fromEntries(at?.map((entry, nth) => [entry, counts?.[nth]]) ?? []);
  }

  /** Where the entries of each row begin. */
  private startsOf(first: number): readonly number[] {
    const known = this.starts.get(first);
    if (known) return known;
    const starts = [0];
    for (const length of this.pack.columns[first] ?? []) starts.push((starts[starts.length - 1] as number) + length);
    this.starts.set(first, starts);
    return starts;
  }
}
