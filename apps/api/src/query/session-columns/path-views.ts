import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { SessionColumns, PathViews, SelectedHit } from './session-columns';

/** What page views are read from. */
interface PagesOfSessions extends Pick<SessionColumns, 'size' | 'pageviews' | 'column'> {
  /** The places of sessions whose views in the range are computed from their hits, and all these hits. */
  readonly read: readonly number[];
  readonly hits: readonly SelectedHit[];
  /** Of all others one after the other: the paths of the page views between the first and the last one. */
  readonly middlePaths: Int32Array;
}

export const NO_VIEWS: PathViews = { paths: new Int32Array(), places: new Int32Array() };

/** The page views in the range. */
export function pathViews(
  { from, to }: { readonly from: number; readonly to: number },
  { size, pageviews, column, read, hits, middlePaths }: PagesOfSessions,
): PathViews {
  const seen = hits.filter(({ kind, at }) => kind === HIT.view && at >= from && at < to);
  const isRead = new Uint8Array(size);
  for (const place of read) isRead[place] = 1;
  let total = seen.length;
  for (let place = 0; place < size; place++) total += isRead[place] === 1 ? 0 : (pageviews[place] ?? 0);
  const views = { paths: new Int32Array(total), places: new Int32Array(total) };
  const [entries, exits] = [column('entry_path'), column('exit_path')];
  let [at, middle] = [0, 0];
  for (let place = 0; place < size; place++) {
    const count = pageviews[place] ?? 0;
    if (count === 0 || isRead[place] === 1) continue;
    for (let nth = 0; nth < count; nth++) views.places[at + nth] = place;
    views.paths[at++] = entries[place] ?? 0;
    for (let left = count - 2; left > 0; left--) views.paths[at++] = middlePaths[middle++] ?? 0;
    if (count > 1) views.paths[at++] = exits[place] ?? 0;
  }
  for (const { place, path } of seen) {
    views.places[at] = place;
    views.paths[at++] = path;
  }
  return views;
}
