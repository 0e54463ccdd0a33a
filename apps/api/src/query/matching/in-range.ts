import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { MatchingSessions } from '../matching-sessions';

type InRange = Pick<MatchingSessions, 'inRange' | 'isCounted' | 'hitsAcross'>;

/** What of the sessions lies in the range; of those across its ends by their hits. */
export async function inRange(
  { from, to }: { readonly from: number; readonly to: number },
  { size, pageviews, column, hitsOf }: Pick<MatchingSessions, 'size' | 'pageviews' | 'column' | 'hitsOf'>,
  across: readonly number[],
): Promise<InRange> {
  const counts = { pageviews: pageviews.slice(), actions: column('actions').slice() };
  const isCounted = new Uint8Array(size).fill(1);
  for (const place of across) counts.pageviews[place] = counts.actions[place] = isCounted[place] = 0;
  const hitsAcross = await hitsOf(across);
  const entered = new Set<number>();
  for (const { place, at, kind } of hitsAcross) {
    const isIn = at >= from && at < to;
    if (isIn && isAction(kind)) counts.actions[place] = (counts.actions[place] ?? 0) + 1;
    if (kind !== HIT.view) continue;
    if (isIn) counts.pageviews[place] = (counts.pageviews[place] ?? 0) + 1;
    if (isIn && !entered.has(place)) isCounted[place] = 1;
    entered.add(place); // hits are in order
  }
  return { inRange: counts, isCounted, hitsAcross: hitsAcross.filter(({ at }) => at >= from && at < to) };
}

const isAction = (kind: number): boolean => kind === HIT.custom || kind === HIT.outgoing;
