import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import type { SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Numbers, SessionChunk, UnitColumns } from '@ledgerline/contracts/read-models/session-chunk';
import { bytes, floats, integers, remember } from '@ledgerline/domain/session-days/scratch';
import { dropUnmatched, gathered, picked } from '../counting/columns';
import { isSessionField } from '../counting/items';
import type { AllUnits, SelectedUnits } from '../counting/selected-sessions';
import type { ValueFilter } from '../query-type';

/** Some sessions of a chunk. */
export interface ChosenSessions {
  readonly chunk: SessionChunk;
  /** Their places in it, in the order that is wanted. */
  readonly places: Int32Array;
  /** What they have of a field. */
  readonly field: (name: SessionField) => Numbers;
  /** Where the units of each session of the chunk begin. */
  readonly starts: (name: Unit) => Int32Array;
  /** Of all units of the chunk: 1 = filters on pages select it; undefined = there are no such filters. */
  readonly isPassing: (name: Unit) => Uint8Array | undefined;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The units of these sessions in a range that filters on pages select. */
export function selectUnits(chosen: ChosenSessions, name: Unit, range: Range): SelectedUnits {
  const at = chosen.chunk.unit(name).field('at');
  return unitsAt(chosen, name, findUnits(chosen, name, { range, at, isPassing: chosen.isPassing(name) }));
}

export function selectAllUnits(chosen: ChosenSessions, name: Unit): AllUnits {
  const { chunk, places, starts } = chosen;
  const { counts: ofChunk, field: column } = chunk.unit(name);
  const found = remember(() => findUnits(chosen, name));
  const all = remember(() => unitsAt(chosen, name, found(name)));
  const isSelected = remember(() => {
    const isPassing = chosen.isPassing(name);
    const { units } = found(name);
    return isPassing ? picked(isPassing, units) : bytes(units.length).fill(1);
  });
  const counts = picked(ofChunk, places);
  const ofEach = (values: Numbers, nthOf: (count: number) => number) => {
    const [firsts, picked] = [starts(name), floats(places.length)];
    for (let nth = 0; nth < places.length; nth++) {
      const count = counts[nth] ?? 0;
      if (count > 0) picked[nth] = values[(firsts[places[nth] ?? 0] ?? 0) + nthOf(count)] ?? 0;
    }
    return picked;
  };
  return {
    counts,
    get size() {
      return all(name).size;
    },
    get places() {
      return all(name).places;
    },
    field: (of) => all(name).field(of),
    get isSelected() {
      return isSelected(name);
    },
    first: (of) => ofEach(column(of), () => 0),
    last: (of) => ofEach(column(of), (count) => count - 1),
  };
}

/** Units by their places in the chunk, with the places of their sessions and how many each of these has. */
interface FoundUnits {
  readonly units: Int32Array;
  readonly sessions: Int32Array;
  readonly counts: Int32Array;
}

interface Wanted {
  readonly range: Range;
  /** Of all units of the chunk. */
  readonly at: Numbers;
  readonly isPassing: Uint8Array | undefined;
}

/** TRICKY: one loop over the units, of which there are several times as many as sessions. */
function findUnits({ chunk, places, starts }: ChosenSessions, name: Unit, wanted?: Wanted): FoundUnits {
  const { counts: ofChunk } = chunk.unit(name);
  const firsts = starts(name);
  const { range: { from, to } = { from: 0, to: 0 }, at, isPassing } = wanted ?? {};
  let most = 0;
  for (let nth = 0; nth < places.length; nth++) most += ofChunk[places[nth] ?? 0] ?? 0;
  const [units, sessions, counts] = [integers(most), integers(most), integers(places.length)];
  let size = 0;
  for (let nth = 0; nth < places.length; nth++) {
    const place = places[nth] ?? 0;
    const before = size;
    let unit = firsts[place] ?? 0;
    for (const end = unit + (ofChunk[place] ?? 0); unit < end; unit++) {
      if (at) {
        const when = at[unit] ?? 0;
        if (when < from || when >= to || isPassing?.[unit] === 0) continue;
      }
      units[size] = unit;
      sessions[size++] = nth;
    }
    counts[nth] = size - before;
  }
  return { units: units.subarray(0, size), sessions: sessions.subarray(0, size), counts };
}

function unitsAt({ chunk, field: ofSession }: ChosenSessions, name: Unit, found: FoundUnits): SelectedUnits {
  const { units, sessions, counts } = found;
  const columns = chunk.unit(name);
  const field = (of: string) =>
    isSessionField(of) ? gathered(ofSession(of), sessions) : picked(columns.field(of), units);
  return { size: units.length, counts, places: sessions, field: remember(field) };
}

/** Filters on these select units; all others select sessions by a field of the filter's name. */
export const isAboutPages = ({ field }: ValueFilter): boolean => field === 'path' || field === 'query_string';

/** 1 for each unit that filters on pages select; undefined without such filters. */
export function unitsPassing(chunk: SessionChunk, name: Unit, pages: readonly ValueFilter[]): Uint8Array | undefined {
  if (pages.length === 0) return undefined;
  const isPassing = bytes(chunk.unit(name).size).fill(1);
  for (const filter of pages) dropUnmatched(pageField(chunk, name, filter), filter, isPassing);
  return isPassing;
}

/** What a filter on pages is about: page views and their visits have a query string, all others none. */
function pageField(chunk: SessionChunk, name: Unit, { field }: ValueFilter): Numbers {
  const columns = chunk.unit(name);
  if (field === 'path' || name === 'views') return columns.field(field);
  return name === 'visits' ? queriesOfVisits(columns, chunk.unit('views')) : integers(columns.size).fill(NO_TEXT);
}

/** A visit that a page view begins has its path and time; one without a page view has no query string. */
function queriesOfVisits(visits: UnitColumns, views: UnitColumns): Int32Array {
  const [paths, at] = [visits.field('path'), visits.field('at')];
  const [viewPaths, viewAt, queries] = [views.field('path'), views.field('at'), views.field('query_string')];
  const found = integers(visits.size).fill(NO_TEXT);
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

export function startsOf(counts: Int32Array): Int32Array {
  const starts = integers(counts.length);
  let end = 0;
  for (let place = 0; place < counts.length; place++) {
    starts[place] = end;
    end += counts[place] ?? 0;
  }
  return starts;
}
