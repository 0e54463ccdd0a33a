import { histogram, key, readModel, sum } from './read-model';

/**
 * Steps from one page view of a session to its next one, by website, block of days (see blocks) in which the session's
 * first page view lies, and path of the first (text id). The bins of the histogram are the text ids of the paths of the
 * second: as most pairs of paths are rare, a row for each would be many times as large. Without the latest day of a
 * website.
 */
export const pageTransitions = readModel('page_transitions', {
  website: key('integer'),
  span: key('smallint'),
  day: key('date'),
  from_path: key('integer'),
  /** 0: each step of a session once, which counts its sessions · 1: its repetitions in the same session. */
  repeated: key('smallint'),
  steps: histogram(),
  /** How many these are in all. */
  taken: sum('integer'),
});

/**
 * The same of a website's latest day, one row for each pair, as rewriting a long histogram for every step would be slow.
 * `sessions` counts those with such a step.
 */
export const latestTransitions = readModel('latest_transitions', {
  website: key('integer'),
  day: key('date'),
  from_path: key('integer'),
  to_path: key('integer'),
  transitions: sum('integer'),
  sessions: sum('integer'),
});
