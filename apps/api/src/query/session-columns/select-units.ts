import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import type { Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Numbers, SessionChunk, UnitColumns } from '@ledgerline/contracts/read-models/session-chunk';
import type { ValueFilter } from '../query-type';
import { asIntegers, dropUnmatched, joined, pick, remember } from './numbers';
import type { SelectedUnits } from '../counting/selected-sessions';

/** Some sessions of a chunk, by their places in it, in order. */
export interface ChosenSessions {
  readonly chunk: SessionChunk;
  readonly places: Int32Array;
}

/** The units of a chunk that are wanted. */
interface WantedUnits {
  readonly columns: UnitColumns;
  /** Their places in the chunk. */
  readonly places: Int32Array;
  /** The places of their sessions in the selection. */
  readonly sessions: Int32Array;
  /** Of all units of the chunk: 1 = filters on pages select it; undefined = there are no such filters. */
  readonly isSelected: Int32Array | undefined;
}

interface Wanted {
  readonly name: Unit;
  /** Filters on pages. */
  readonly pages: readonly ValueFilter[];
  /** With a range, only units in it that the filters select; without one all. */
  readonly range?: { readonly from: number; readonly to: number };
}

/** The units of these sessions, one session after the other; 1 in `isSelected` = filters on pages select it. */
export function selectUnits(
  chosen: readonly ChosenSessions[],
  wanted: Wanted,
): SelectedUnits & { readonly isSelected: Uint8Array } {
  let first = 0;
  const parts = chosen.map((sessions) => {
    const part = wantedUnits(sessions, first, wanted);
    first += sessions.places.length;
    return part;
  });
  const places = joined(parts.map(({ sessions }) => sessions));
  const field = remember((of: string) =>
    pick(parts.map(({ columns, places: own }) => [unitFieldOf(columns, wanted.name, of), own])),
  );
  return {
    size: places.length,
    places,
    get at() {
      const at = field('at');
      return at instanceof Float64Array ? at : new Float64Array(at);
    },
    field,
    get isSelected() {
      const marks = parts.map(({ isSelected, places: own }) => isSelected && asIntegers(pick([[isSelected, own]])));
      return new Uint8Array(joined(marks.map((mark, nth) => mark ?? ones(parts[nth]?.places.length ?? 0))));
    },
  };
}

const ones = (size: number): Int32Array => new Int32Array(size).fill(1);

/** TRICKY: one loop over the units, of which there are several times as many as sessions. */
function wantedUnits({ chunk, places }: ChosenSessions, first: number, wanted: Wanted): WantedUnits {
  const { name, pages, range } = wanted;
  const columns = unitsOf(chunk, name);
  const { counts } = columns;
  const isSelected = selectedBy(chunk, name, pages);
  const [size, at] = [sizeOf(columns), unitFieldOf(columns, name, 'at')];
  const [found, sessions] = [new Int32Array(size), new Int32Array(size)];
  const { from, to } = range ?? { from: -Infinity, to: Infinity };
  let [kept, unit, previous] = [0, 0, 0];
  for (let nth = 0; nth < places.length; nth++) {
    const place = places[nth] ?? 0;
    for (; previous < place; previous++) unit += counts[previous] ?? 0;
    previous = place + 1;
    for (const end = unit + (counts[place] ?? 0); unit < end; unit++) {
      const when = at[unit] ?? 0;
      if (when < from || when >= to || (range && isSelected?.[unit] === 0)) continue;
      found[kept] = unit;
      sessions[kept++] = first + nth;
    }
  }
  return { columns, places: found.subarray(0, kept), sessions: sessions.subarray(0, kept), isSelected };
}

/** 1 for each unit that filters on pages select; undefined without such filters. */
export function selectedBy(chunk: SessionChunk, name: Unit, pages: readonly ValueFilter[]): Int32Array | undefined {
  if (pages.length === 0) return undefined;
  const isSelected = ones(sizeOf(unitsOf(chunk, name)));
  for (const filter of pages) dropUnmatched(pageField(chunk, name, filter), filter, isSelected);
  return isSelected;
}

/** What a filter on pages is about: page views and their visits have a query string, all others none. */
function pageField(chunk: SessionChunk, name: Unit, { field }: ValueFilter): Numbers {
  const columns = unitsOf(chunk, name);
  if (field === 'path' || name === 'views') return unitFieldOf(columns, name, field);
  return name === 'visits'
    ? queriesOfVisits(columns, unitsOf(chunk, 'views'))
    : new Int32Array(sizeOf(columns)).fill(NO_TEXT);
}

/** A visit that a page view begins has its path and time; one without a page view has no query string. */
function queriesOfVisits(visits: UnitColumns, views: UnitColumns): Int32Array {
  const [paths, at] = ['path', 'at'].map((name) => unitFieldOf(visits, 'visits', name)) as [Numbers, Numbers];
  const [viewPaths, viewAt, queries] = ['path', 'at', 'query_string'].map((name) =>
    unitFieldOf(views, 'views', name),
  ) as [Numbers, Numbers, Numbers];
  const found = new Int32Array(sizeOf(visits)).fill(NO_TEXT);
  let [visit, view] = [0, 0];
  for (let place = 0; place < visits.counts.length; place++) {
    const [lastVisit, lastView] = [visit + (visits.counts[place] ?? 0), view + (views.counts[place] ?? 0)];
    for (; visit < lastVisit; visit++) {
      while (view < lastView && (viewAt[view] ?? 0) < (at[visit] ?? 0)) view++;
      for (let same = view; same < lastView && viewAt[same] === at[visit]; same++) {
        if (viewPaths[same] === paths[visit]) found[visit] = queries[same] ?? NO_TEXT;
      }
    }
    view = lastView;
  }
  return found;
}

const sizeOf = ({ counts }: UnitColumns): number => {
  let size = 0;
  for (let place = 0; place < counts.length; place++) size += counts[place] ?? 0;
  return size;
};

/** @throws Error for units that were not read for the question */
export function unitsOf({ units }: SessionChunk, name: Unit): UnitColumns {
  const columns = units.get(name);
  if (!columns) throw new Error(`The ${name} of sessions were not read.`);
  return columns;
}

export function unitFieldOf({ fields }: UnitColumns, name: Unit, field: string): Numbers {
  const numbers = fields.get(field);
  if (!numbers) throw new Error(`The ${name} of sessions have no field ${field}.`);
  return numbers;
}
