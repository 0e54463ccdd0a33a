import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { SessionColumns, SelectedHit } from './session-columns';

type InRange = Pick<SessionColumns, 'inRange' | 'isCounted'>;

/** What of the sessions lies in the range; of those at some places by their hits. */
export function inRange(
  { from, to }: { readonly from: number; readonly to: number },
  { size, pageviews, actions }: Pick<SessionColumns, 'size' | 'pageviews' | 'actions'>,
  places: readonly number[],
  hits: readonly SelectedHit[],
): InRange {
  const counts = { pageviews: pageviews.slice(), actions: actions.slice() };
  const isCounted = new Uint8Array(size).fill(1);
  for (const place of places) counts.pageviews[place] = counts.actions[place] = isCounted[place] = 0;
  const entered = new Set<number>();
  for (const { place, at, kind } of hits) {
    const isIn = at >= from && at < to;
    if (isIn && isAction(kind)) counts.actions[place] = (counts.actions[place] ?? 0) + 1;
    if (kind !== HIT.view) continue;
    if (isIn) counts.pageviews[place] = (counts.pageviews[place] ?? 0) + 1;
    if (isIn && !entered.has(place)) isCounted[place] = 1;
    entered.add(place); // hits are in order
  }
  return { inRange: counts, isCounted };
}

const isAction = (kind: number): boolean => kind === HIT.custom || kind === HIT.outgoing;
