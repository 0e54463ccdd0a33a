import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { dimension } from './dimension';

export const topPagesProjection = dimension(topPages, ({ stays, calendar }) =>
  stays.flatMap(({ session, enteredDay }) => {
    const views = session.pageviews > 0 ? session.hits.filter(({ kind }) => kind === HIT.view) : [];
    return views.map(({ path, at }, place) => {
      return {
        value: path,
        day: calendar.day(at),
        pageviews: 1,
        sessions: place === 0 && enteredDay !== undefined ? 1 : 0,
      };
    });
  }),
);
