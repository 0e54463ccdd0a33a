import { SESSION_FLAG, type SessionField, type Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Numbers, SessionChunk } from '@ledgerline/contracts/read-models/session-chunk';
import type { Question, ValueFilter } from '../query-type';
import { asIntegers, dropUnmatched, greatest, pick, remember, selectedPlaces, sum } from './numbers';
import { selectedBy, selectUnits, unitFieldOf, unitsOf, type ChosenSessions } from './select-units';
import type { SelectedSessions } from '../counting/selected-sessions';

type Selecting = Pick<Question, 'filters' | 'from' | 'to'>;

/** Filters on these select units; all others select sessions by a field of the filter's name. */
export const isAboutPages = ({ field }: ValueFilter): boolean => field === 'path' || field === 'query_string';

/**
 * What the filters and the range of a question leave of these sessions. Fields and units are put together when they are
 * first asked for; only what was read for the question can be.
 */
export function selectSessions(chunks: readonly SessionChunk[], question: Selecting): SelectedSessions {
  const chosen = chunks.map((chunk) => ({ chunk, places: placesIn(chunk, question) }));
  const picked = (of: (chunk: SessionChunk) => Numbers) => pick(chosen.map(({ chunk, places }) => [of(chunk), places]));
  const pages = question.filters.filter(isAboutPages);
  const field = remember((name: SessionField) => picked((chunk) => fieldOf(chunk, name)));
  const counts = remember((name: Unit) => asIntegers(picked((chunk) => unitsOf(chunk, name).counts)));
  const allUnits = remember((name: Unit) => selectUnits(chosen, { name, pages }));
  const actions = remember(() => sum(counts('custom_events'), counts('outgoing_links')));
  const isCounted = remember(() => countedOf(chosen, pages, question));
  const visitors = asIntegers(field('visitor'));
  return {
    size: visitors.length,
    visitors,
    visitorCount: greatest(visitors) + 1,
    get isCounted() {
      return isCounted(question);
    },
    field,
    totals: {
      get views() {
        return counts('views');
      },
      get actions() {
        return actions(question);
      },
    },
    units: remember((name: Unit) => selectUnits(chosen, { name, pages, range: question })),
    allUnits,
  };
}

/** The sessions of a chunk that filters on attributes select and that are not wholly out of the range. */
function placesIn(chunk: SessionChunk, { filters, from, to }: Selecting): Int32Array {
  const [firstAt, duration] = [fieldOf(chunk, 'first_at'), fieldOf(chunk, 'duration_ms')];
  const isSelected = new Int32Array(chunk.size);
  for (let place = 0; place < chunk.size; place++) {
    const at = firstAt[place] ?? 0;
    isSelected[place] = at < to && at + (duration[place] ?? 0) >= from ? 1 : 0; // the last event is not after its end
  }
  const ofSessions = filters.filter((filter) => !isAboutPages(filter));
  if (ofSessions.length > 0) dropWithoutAttributes(chunk, isSelected);
  for (const filter of ofSessions) dropUnmatched(fieldOf(chunk, filter.field as SessionField), filter, isSelected);
  return selectedPlaces(isSelected);
}

/** Attributes are those of the first page view, so a session without one has none to select it by. */
function dropWithoutAttributes(chunk: SessionChunk, isSelected: Int32Array): void {
  const [flags, views] = [fieldOf(chunk, 'flags'), unitsOf(chunk, 'views').counts];
  for (let place = 0; place < chunk.size; place++) {
    if (views[place] === 0 || isSingle(flags[place])) isSelected[place] = 0;
  }
}

const isSingle = (flags = 0): boolean => (flags & SESSION_FLAG.single) !== 0;

function countedOf(chosen: readonly ChosenSessions[], pages: readonly ValueFilter[], question: Selecting): Uint8Array {
  const isCounted = new Uint8Array(chosen.reduce((size, { places }) => size + places.length, 0));
  let first = 0;
  for (const sessions of chosen) {
    countedIn(sessions, pages, question, isCounted.subarray(first));
    first += sessions.places.length;
  }
  return isCounted;
}

/** Whether the first page view of each session lies in the range, and filters on pages select any. */
function countedIn(
  { chunk, places }: ChosenSessions,
  pages: readonly ValueFilter[],
  { from, to }: Selecting,
  isCounted: Uint8Array,
): void {
  const views = unitsOf(chunk, 'views');
  const [at, flags] = [unitFieldOf(views, 'views', 'at'), fieldOf(chunk, 'flags')];
  const isSelected = selectedBy(chunk, 'views', pages);
  let [unit, previous] = [0, 0];
  for (let nth = 0; nth < places.length; nth++) {
    const place = places[nth] ?? 0;
    for (; previous < place; previous++) unit += views.counts[previous] ?? 0;
    const [count, when] = [views.counts[place] ?? 0, at[unit] ?? 0];
    if (count === 0 || when < from || when >= to || isSingle(flags[place])) continue;
    isCounted[nth] = !isSelected || isSelected.subarray(unit, unit + count).includes(1) ? 1 : 0;
  }
}

/** @throws Error for a field that was not read for the question */
function fieldOf({ fields }: SessionChunk, name: SessionField): Numbers {
  const field = fields.get(name);
  if (!field) throw new Error(`The field ${name} of sessions was not read.`);
  return field;
}
