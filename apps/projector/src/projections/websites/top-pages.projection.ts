import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import type { Hit } from '@ledgerline/domain/sessions/hit';
import type { Presence } from '@ledgerline/domain/sessions/presence';
import type { Session } from '@ledgerline/domain/sessions/session';
import { dimension, valuesOf } from './dimension';

export const topPagesProjection = dimension(topPages, (unit) => {
  const { stays, calendar } = unit;
  const changing = valuesOf(unit, (session) => viewsOf(session).map(({ path }) => path));
  const presences: Presence[] = [];
  for (const { session, enteredDay } of changing.size > 0 ? stays : []) {
    for (const [place, { path: value, at }] of viewsOf(session).entries()) {
      const sessions = place === 0 && enteredDay !== undefined ? 1 : 0;
      if (changing.has(value)) presences.push({ value, day: calendar.day(at), pageviews: 1, sessions });
    }
  }
  return presences;
});

/** The page views of a session; those of most sessions without their hits, which may not be read yet. */
function viewsOf(session: Session): readonly Pick<Hit, 'path' | 'at'>[] {
  const { pageviews, enteredAt: at, entryPath: path } = session;
  if (pageviews === 0) return [];
  return pageviews === 1 && at !== null ? [{ path, at }] : session.hits.filter(({ kind }) => kind === HIT.view);
}
