import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { presencesAround } from '@ledgerline/domain/sessions/around';
import type { Hit } from '@ledgerline/domain/sessions/hit';
import type { Session } from '@ledgerline/domain/sessions/session';
import { dimension, valuesOf } from './dimension';

export const topPagesProjection = dimension(topPages, (unit) => {
  const { calendar } = unit;
  const changing = valuesOf(unit, (session) => viewsOf(session).map(({ path }) => path));
  return presencesAround(unit, changing, ({ session, enteredDay }, tell) => {
    for (const [place, { path, at }] of viewsOf(session).entries()) {
      tell(path, calendar.day(at), 1, place === 0 && enteredDay !== undefined ? 1 : 0);
    }
  });
});

/** The page views of a session; those of most sessions without their hits, which may not be read yet. */
function viewsOf(session: Session): readonly Pick<Hit, 'path' | 'at'>[] {
  const { pageviews, enteredAt: at, entryPath: path } = session;
  if (pageviews === 0) return [];
  return pageviews === 1 && at !== null ? [{ path, at }] : session.hits.filter(({ kind }) => kind === HIT.view);
}
