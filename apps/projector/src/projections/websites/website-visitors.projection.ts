import { websiteVisitors } from '@ledgerline/contracts/read-models/website-totals';
import { byDay } from '@ledgerline/domain/sessions/presence';
import { rollup } from '../rollup';
import { countedInBlocks } from './spread-in-blocks';

export const websiteVisitorsProjection = rollup(
  websiteVisitors,
  ({ website, visitor, stays, window }, add) => {
    if (visitor === null) return;
    const presences = stays.flatMap(({ viewDays }) =>
      viewDays.map(({ day, pageviews }) => ({ value: 0, day, pageviews, sessions: 0 })),
    );
    for (const { day, previousDay } of byDay(presences, window)) {
      add({ website, span: 1, day, previous_day: previousDay, visitors: 1 });
    }
  },
  countedInBlocks('visitors'),
);
