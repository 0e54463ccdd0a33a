import { count, text } from '../../fields';
import { counted } from '../../counting/counted';
import { COUNT, SESSIONS } from '../../counting/measures';
import { ranked } from '../../counting/ranked';
import { STEPS } from '../../counting/session-items';
import { byCounts, queryType } from '../../query-type';
import { firstPathsByDays, firstSteps } from '../../sql/transitions';

const COUNTS = ['transitions', 'sessions'];

export const sessionFlow = queryType({
  name: 'session_flow',
  about: 'website',
  shape: 'list',
  category: 'Sessions',
  description: 'Steps from one page view of a session to the next one, by the paths of both',
  fields: { from_path: text, to_path: text, transitions: count, sessions: count },
  order: byCounts(COUNTS, 'from_path', 'to_path'),
  isTotalAtLeast: true,
  sources: { days: firstPathsByDays },
  addUp: { days: firstSteps },
  sessionColumns: ranked(
    counted({
      of: STEPS,
      by: { from: 'from_path', to: 'to_path' },
      measures: { transitions: COUNT, sessions: SESSIONS },
    }),
    { by: COUNTS, texts: { from_path: 'from', to_path: 'to' } },
  ),
});
