import { attributeNamed, eventFilterNamed, isOfHits } from '@ledgerline/contracts/attributes';
import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import {
  type Numbers,
  SESSION_FLAG,
  type SessionChunk,
  type SessionField,
  type Unit,
  type UnitColumns,
} from '@ledgerline/contracts/read-models/session-days';
import { intersectMasks, isFull, isNotZero, ownersOf, rowsWhere, take, takeSessions } from './columns';
import { groupsOf } from './groups';
import { isSessionField } from './row-sources';
import {
  dropUnlessAny,
  dropUnmatched,
  selectsHits,
  type CountRequest,
  type SelectedSessions,
  type SelectedUnits,
  type SelectingFilter,
  type ValueFilter,
} from './scope';
import { blank, bytes, integers, remember } from './scratch';

type Selecting = Pick<CountRequest, 'filters' | 'from' | 'to' | 'shareFilters'>;

/**
 * Returns what the filters and the range of a question leave of these sessions. Fields and units are put together when
 * they are
 * first asked for; only what was read for the question can be.
 * @param units that are counted: sessions without any that filters on pages select are left out; or every session stays,
 *   and filters select units alone
 * @param isInSegment of each session; all are without it
 */
export function selectSessions(
  chunk: SessionChunk,
  request: Selecting,
  units: readonly Unit[] | 'every',
  isInSegment?: Uint8Array,
): SelectedSessions {
  const isOfUnits = (filter: SelectingFilter) => units === 'every' || selectsHits(filter);
  const pages = request.filters.filter(isOfUnits);
  const attributes = request.filters.filter((filter) => !isOfUnits(filter));
  const isPassing = attributes.length > 0 ? withAttributes(chunk, attributes) : bytes(chunk.size).fill(1);
  if (isInSegment && units !== 'every') intersectMasks(isInSegment, isPassing);
  if (pages.length > 0 && units !== 'every') intersectMasks(withUnits(chunk, units, pages), isPassing);
  const chosen = isFull(isPassing) ? chunk : takeSessions(chunk, rowsWhere(isPassing));
  const { size, field } = chosen;
  const unit = selectedUnits(chosen, { ...request, filters: pages }, units === 'every' ? isInSegment : undefined);
  const isCounted = remember(() => countedSessions({ size, field, unit }, request));
  const { shareFilters = [] } = request;
  const isNamed = remember(() => unitsPassing(chosen, 'views', shareFilters));
  return {
    size,
    field,
    unit,
    visitors: groupsOf(field('visitor')),
    get isCounted() {
      return isCounted(request);
    },
    get isNamed() {
      return shareFilters.length === 0 ? undefined : isNamed(shareFilters);
    },
  };
}

/** The units of all of these sessions, with those that filters select. */
export const selectedUnits = (
  chunk: SessionChunk,
  selecting: Pick<Selecting, 'filters' | 'from' | 'to'>,
  isSession?: Uint8Array,
) => remember((name: Unit) => selectUnits(chunk, name, selecting, isSession));

/** 1 for each session that filters on attributes select. */
function withAttributes(chunk: SessionChunk, filters: readonly SelectingFilter[]): Uint8Array {
  const isPassing = withViews(chunk);
  for (const filter of filters)
    dropUnlessAny(filter, isPassing, (alternative, marks) => dropSessions(chunk, alternative, marks));
  return isPassing;
}

/** Attributes are of the first page view, so a session without one has none. */
function withViews(chunk: SessionChunk): Uint8Array {
  const flags = chunk.field('flags');
  const views = chunk.unit('views').counts;
  const isPassing = bytes(chunk.size);
  for (let place = 0; place < chunk.size; place++)
    isPassing[place] = isNotZero(views[place] as number) & ~isSingle(flags[place] as number);
  return isPassing;
}

const isSingle = (flags: number): 0 | 1 => isNotZero(flags & SESSION_FLAG.single);

function dropSessions(chunk: SessionChunk, filter: ValueFilter, isPassing: Uint8Array): void {
  const isOfEvents = filter.field === 'event';
  dropUnmatched(attributeOf(chunk, filter), isOfEvents ? { ...filter, values: [1] } : filter, isPassing);
}

/** Returns what a filter on sessions is about: ids, or 1 for those with a custom event of its names. */
function attributeOf(chunk: SessionChunk, filter: ValueFilter): Numbers {
  switch (filter.field) {
    case 'entry_page':
      return pathsOfViews(chunk.unit('views'), 'first');
    case 'exit_page':
      return pathsOfViews(chunk.unit('views'), 'last');
    case 'event':
      return withEvent(chunk.unit('custom_events'), filter);
    default:
      return chunk.field(filter.field as SessionField);
  }
}

function pathsOfViews({ counts, field }: UnitColumns, which: 'first' | 'last'): Int32Array {
  const paths = field('path');
  const found = integers(counts.length);
  for (let place = 0, at = 0; place < counts.length; place++) {
    const count = counts[place] ?? 0;
    if (count > 0) found[place] = paths[which === 'first' ? at : at + count - 1] ?? 0;
    at += count;
  }
  return found;
}

/** 1 for each session with a custom event of these names. */
function withEvent({ counts, size, field }: UnitColumns, { values }: ValueFilter): Int32Array {
  const isNamed = bytes(size).fill(1);
  const found = integers(counts.length);
  dropUnmatched(field('name'), { field: 'name', values, negated: false }, isNamed);
  markOwners(isNamed, ownersOf(counts), found);
  return found;
}

/** 1 for each session with any unit that filters on pages select. */
function withUnits(chunk: SessionChunk, units: readonly Unit[], filters: readonly SelectingFilter[]): Uint8Array {
  const isPassing = bytes(chunk.size);
  for (const name of units) {
    const isSelected = unitsPassing(chunk, name, filters);
    markOwners(isSelected, ownersOf(chunk.unit(name).counts), isPassing);
  }
  return isPassing;
}

/** Sets 1 for each session of which a unit is marked by 1. */
function markOwners(isMarked: Uint8Array, owners: Int32Array, marks: Uint8Array | Int32Array): void {
  for (let at = 0; at < owners.length; at++) {
    const owner = owners[at] as number;
    marks[owner] = (marks[owner] as number) | (isMarked[at] as number);
  }
}

/** Leaves of the marks of units those whose session is marked. */
function unmarkUnits(isSession: Uint8Array, owners: Int32Array, marks: Uint8Array): void {
  for (let at = 0; at < marks.length; at++)
    marks[at] = (marks[at] as number) & (isSession[owners[at] as number] as number);
}

/** @param isSession of each session: 0 = none of its units is selected */
function selectUnits(
  chunk: SessionChunk,
  name: Unit,
  { filters, from, to }: Pick<Selecting, 'filters' | 'from' | 'to'>,
  isSession?: Uint8Array,
): SelectedUnits {
  const { counts, size, field } = chunk.unit(name);
  const isSelected = unitsPassing(chunk, name, filters);
  const times = field('at');
  const places = ownersOf(counts);
  const isIn = blank(Uint8Array, size);
  if (isSession) unmarkUnits(isSession, places, isSelected);
  for (let at = 0; at < size; at++) {
    const time = times[at] as number;
    isIn[at] = time >= from && time < to ? (isSelected[at] as number) : 0;
  }
  const column = remember((of: string) => (isSessionField(of) ? take(chunk.field(of), places) : field(of)));
  return { counts, size, places, isSelected, isIn, field: column };
}

/** Returns whether the first page view of each session lies in the range, and filters on pages select any. */
function countedSessions(
  { size, field, unit }: Pick<SelectedSessions, 'size' | 'field' | 'unit'>,
  { from, to }: Selecting,
): Uint8Array {
  const { counts, field: ofViews, isSelected, places } = unit('views');
  const times = ofViews('at');
  const flags = field('flags');
  const isCounted = bytes(size);
  markOwners(isSelected, places, isCounted);
  for (let place = 0, at = 0; place < size; at += counts[place++] as number) {
    const time = times[at] as number; // of the first one, as one is selected at least
    if (!(time >= from && time < to) || isSingle(flags[place] as number) === 1) isCounted[place] = 0;
  }
  return isCounted;
}

/** 1 for each unit that filters on pages select. */
function unitsPassing(chunk: SessionChunk, name: Unit, filters: readonly SelectingFilter[]): Uint8Array {
  const isPassing = bytes(chunk.unit(name).size).fill(1);
  for (const filter of filters)
    dropUnlessAny(filter, isPassing, (alternative, marks) => {
      if (isOfHits(alternative.field)) dropUnmatched(pageField(chunk, name, alternative), alternative, marks);
      else dropOfSessions(chunk, name, alternative, marks);
    });
  return isPassing;
}

/** Sets 0 for the units of sessions that do not pass. */
function dropOfSessions(chunk: SessionChunk, name: Unit, filter: ValueFilter, isPassing: Uint8Array): void {
  const isWanted = withViews(chunk);
  dropSessions(chunk, filter, isWanted);
  unmarkUnits(isWanted, ownersOf(chunk.unit(name).counts), isPassing);
}

/**
 * Returns what a filter on pages is about: page views and their visits have the attributes of page views, all others
 * none.
 */
function pageField(chunk: SessionChunk, name: Unit, { field }: ValueFilter): Numbers {
  const columns = chunk.unit(name);
  const ofEvent = eventFilterNamed(field);
  if (ofEvent) return name === ofEvent.unit ? columns.field(ofEvent.field) : integers(columns.size).fill(-1);
  if (attributeNamed(field)?.of === 'event' || name === 'views') return columns.field(field);
  return name === 'visits' ? ofVisits(field, columns, chunk.unit('views')) : integers(columns.size).fill(NO_TEXT);
}

/** A visit that a page view begins has its path and time; one without a page view has none of its attributes. */
function ofVisits(field: string, visits: UnitColumns, views: UnitColumns): Int32Array {
  const paths = visits.field('path');
  const at = visits.field('at');
  const viewPaths = views.field('path');
  const viewAt = views.field('at');
  const values = views.field(field);
  const found = integers(visits.size).fill(NO_TEXT);
  let visit = 0;
  let view = 0;
  for (let place = 0; place < visits.counts.length; place++) {
    const lastVisit = visit + (visits.counts[place] ?? 0);
    const lastView = view + (views.counts[place] ?? 0);
    for (; visit < lastVisit; visit++) {
      while (view < lastView && (viewAt[view] ?? 0) < (at[visit] ?? 0)) view++;
      for (let same = view; same < lastView && viewAt[same] === at[visit]; same++) {
        if (viewPaths[same] === paths[visit]) found[visit] = values[same] ?? NO_TEXT;
      }
    }
    view = lastView;
  }
  return found;
}
