import { visitAt, VISIT_WORDS } from '@ledgerline/domain/sessions/packed-pages';
import { visitsIn, type PageVisit } from '@ledgerline/domain/sessions/page-visits';
import type { PageVisits, SelectedHit } from './session-columns';

/** What visits are read from. */
interface VisitsOfSessions {
  /** All hits of the sessions whose visits are computed from their hits. */
  readonly hits: readonly SelectedHit[];
  /** Of all others one after the other, as the domain packs them. */
  readonly packed: Int32Array;
  /** How many of them each session has; 0 where they are computed from its hits. */
  readonly counts: Int32Array;
}

export const NO_VISITS: PageVisits = emptyVisits(0);

/** The visits of pages in the range of which something is reported. */
export function pageVisits(
  { from, to }: { readonly from: number; readonly to: number },
  { hits, packed, counts }: VisitsOfSessions,
): PageVisits {
  const read = [...byPlace(hits)].flatMap(([place, own]) =>
    visitsIn(own)
      .filter(({ at }) => at >= from && at < to)
      .map((visit) => ({ place, visit })),
  );
  const visits = emptyVisits(packed.length / VISIT_WORDS + read.length);
  let at = 0;
  const add = (place: number, { path, timeMs, scroll, interactions }: Omit<PageVisit, 'at'>) => {
    visits.paths[at] = path;
    visits.places[at] = place;
    visits.timeMs[at] = timeMs;
    visits.scroll[at] = scroll;
    visits.interactions[at++] = interactions;
  };
  for (let place = 0; place < counts.length; place++) {
    for (let left = counts[place] ?? 0; left > 0; left--) add(place, visitAt(packed, VISIT_WORDS * at));
  }
  for (const { place, visit } of read) add(place, visit);
  return visits;
}

function emptyVisits(size: number): PageVisits {
  return {
    paths: new Int32Array(size),
    places: new Int32Array(size),
    timeMs: new Int32Array(size),
    scroll: new Int32Array(size),
    interactions: new Int32Array(size),
  };
}

function byPlace(hits: readonly SelectedHit[]): Map<number, SelectedHit[]> {
  const found = new Map<number, SelectedHit[]>();
  for (const hit of hits) {
    const own = found.get(hit.place);
    if (own) own.push(hit);
    else found.set(hit.place, [hit]);
  }
  return found;
}
