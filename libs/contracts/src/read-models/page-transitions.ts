import { histogram, key, readModel } from './read-model';

/**
 * Steps from one page view of a session to its next one, by website, block of days (see blocks) in which the session's
 * first page view lies, and path of the first (text id). The bins of the histogram are the text ids of the paths of the
 * second: as most pairs of paths are rare, a row for each would be many times as large.
 */
export const pageTransitions = readModel('page_transitions', {
  website: key('integer'),
  span: key('smallint'),
  day: key('date'),
  from_path: key('integer'),
  /** 0: each step of a session once, which counts its sessions · 1: its repetitions in the same session. */
  repeated: key('smallint'),
  steps: histogram(),
});
