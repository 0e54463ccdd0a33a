import { SESSION_FLAG, type SessionField, type Unit } from '@ledgerline/contracts/read-models/session-days';
import type { SessionChunk } from '@ledgerline/contracts/read-models/session-chunk';
import { bytes, remember } from '@ledgerline/domain/session-days/scratch';
import { dropUnmatched, picked, placesWith } from '../counting/columns';
import { numbered } from '../counting/numbered';
import type { SelectedSessions } from '../counting/selected-sessions';
import type { Question, ValueFilter } from '../query-type';
import { isAboutPages, selectAllUnits, selectUnits, startsOf, unitsPassing, type ChosenSessions } from './select-units';

type Selecting = Pick<Question, 'filters' | 'from' | 'to'>;

/**
 * What the filters and the range of a question leave of these sessions. Fields and units are put together when they are
 * first asked for; only what was read for the question can be.
 */
export function selectSessions(chunk: SessionChunk, question: Selecting): SelectedSessions {
  const pages = question.filters.filter(isAboutPages);
  const places = placesWith(sessionsPassing(chunk, question.filters));
  const field = remember((name: SessionField) => picked(chunk.field(name), places));
  const chosen: ChosenSessions = {
    chunk,
    places,
    field,
    starts: remember((name: Unit) => startsOf(chunk.unit(name).counts)),
    isPassing: remember((name: Unit) => unitsPassing(chunk, name, pages)),
  };
  const { numbers: visitors, count: visitorCount } = numbered(field('visitor'));
  const isCounted = remember(() => countedSessions(chosen, question));
  return {
    size: places.length,
    visitors,
    visitorCount,
    get isCounted() {
      return isCounted(question);
    },
    field,
    units: remember((name: Unit) => selectUnits(chosen, name, question)),
    allUnits: remember((name: Unit) => selectAllUnits(chosen, name)),
  };
}

/** 1 for each session that filters on attributes select. */
function sessionsPassing(chunk: SessionChunk, filters: readonly ValueFilter[]): Uint8Array {
  const isPassing = bytes(chunk.size).fill(1);
  const ofSessions = filters.filter((filter) => !isAboutPages(filter));
  if (ofSessions.length > 0) dropWithoutAttributes(chunk, isPassing);
  for (const filter of ofSessions) dropUnmatched(chunk.field(filter.field as SessionField), filter, isPassing);
  return isPassing;
}

/** Attributes are those of the first page view, so a session without one has none to select it by. */
function dropWithoutAttributes(chunk: SessionChunk, isPassing: Uint8Array): void {
  const [flags, views] = [chunk.field('flags'), chunk.unit('views').counts];
  for (let place = 0; place < chunk.size; place++) {
    if (views[place] === 0 || isSingle(flags[place])) isPassing[place] = 0;
  }
}

const isSingle = (flags = 0): boolean => (flags & SESSION_FLAG.single) !== 0;

/** Whether the first page view of each session lies in the range, and filters on pages select any. */
function countedSessions(
  { chunk, places, field, starts, isPassing }: ChosenSessions,
  { from, to }: Selecting,
): Uint8Array {
  const { counts, field: ofViews } = chunk.unit('views');
  const [at, flags, firsts, passing] = [ofViews('at'), field('flags'), starts('views'), isPassing('views')];
  const isCounted = bytes(places.length);
  for (let nth = 0; nth < places.length; nth++) {
    const place = places[nth] ?? 0;
    const [count, first] = [counts[place] ?? 0, firsts[place] ?? 0];
    const when = at[first] ?? 0;
    if (count === 0 || when < from || when >= to || isSingle(flags[nth])) continue;
    isCounted[nth] = !passing || hasMark(passing, first, first + count) ? 1 : 0;
  }
  return isCounted;
}

function hasMark(marks: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (marks[at] === 1) return true;
  return false;
}
