import { websiteVisitors } from '@ledgerline/contracts/read-models/website-totals';
import { presencesAround } from '@ledgerline/domain/sessions/around';
import { byDay } from '@ledgerline/domain/sessions/presence';
import { rollup } from '../rollup';
import { countedInBlocks } from './spread-in-blocks';

const ANYTHING = new Set([0]);

export const websiteVisitorsProjection = rollup(
  websiteVisitors,
  (unit, add) => {
    const { website, visitor, window } = unit;
    if (visitor === null) return;
    const presences = presencesAround(unit, ANYTHING, ({ viewDays }, tell) => {
      for (const { day, pageviews } of viewDays) tell(0, day, pageviews, 0);
    });
    for (const { day, previousDay } of byDay(presences, window)) {
      add({ website, span: 1, day, previous_day: previousDay, visitors: 1 });
    }
  },
  countedInBlocks('visitors'),
);
