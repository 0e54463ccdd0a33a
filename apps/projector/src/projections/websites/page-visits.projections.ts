import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { pageVisits } from '@ledgerline/contracts/read-models/website-engagement';
import { errorSessions } from '@ledgerline/contracts/read-models/website-errors';
import { pageVisitsOf } from '@ledgerline/domain/sessions/page-visits';
import { intoBlocks, withEveryValue } from './into-blocks';
import { rollup, type Rollup } from './rollup';

const visitsByPage = rollup(
  pageVisits,
  ({ website, near, calendar }, add) => {
    for (const { session } of near) {
      for (const { path, at, timeMs, scroll, interactions } of pageVisitsOf(session)) {
        add({
          website,
          span: 1,
          day: calendar.day(at),
          value: path,
          timed: timeMs < 0 ? 0 : 1,
          time_ms: Math.max(timeMs, 0),
          scrolled: scroll < 0 ? 0 : 1,
          scroll: Math.max(scroll, 0),
          interacted: interactions < 0 ? 0 : 1,
          interactions: Math.max(interactions, 0),
        });
      }
    }
  },
  withEveryValue(pageVisits, intoBlocks),
);

const sessionsWithErrors = rollup(errorSessions, ({ website, near }, add) => {
  for (const { session, enteredDay: day } of near) {
    if (day !== undefined && session.hits.some(({ kind }) => kind === HIT.error)) add({ website, day, sessions: 1 });
  }
});

export const REPORTS: readonly Rollup[] = [visitsByPage, sessionsWithErrors];
