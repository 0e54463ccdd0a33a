import { count, text } from '../../fields';
import { numberIn } from '../../found';
import { websiteSeries } from '../../query-type';
import { WEBSITE_FILTERS } from './filters';
import { totalsByDay, totalsByHour } from './session-totals';
import { totalsFromFacts } from './session-totals-of-facts';

export const sessionsTimeSeries = websiteSeries({
  name: 'sessions_time_series',
  category: 'Sessions',
  meaning: 'Sessions and visitors over time',
  publicAccess: false,
  allowedFilters: WEBSITE_FILTERS,
  fields: { date: text, sessions: count, visitors: count },
  answers: { days: totalsByDay, hours: totalsByHour, facts: totalsFromFacts },
  row: (found) => ({ sessions: numberIn(found, 'sessions'), visitors: numberIn(found, 'visitors') }),
});
