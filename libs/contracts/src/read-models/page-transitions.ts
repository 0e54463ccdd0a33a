import { key, readModel, sum } from './read-model';

/**
 * Steps from one page view of a session to its next one, on the day of the session's first page view: one row per
 * website, day and pair of paths (text ids). `sessions` = those with such a step. Without longer blocks of days, as most
 * pairs are rare: a block would have nearly as many rows as its days.
 */
export const pageTransitions = readModel('page_transitions', {
  website: key('integer'),
  day: key('date'),
  from_path: key('integer'),
  to_path: key('integer'),
  transitions: sum('integer'),
  sessions: sum('integer'),
});
