import { key, last, readModel } from './read-model';

/** The metrics by their place (from 0), which is how the read models name them. */
export const METRICS = ['LCP', 'FCP', 'CLS', 'INP', 'TTFB', 'FPS'] as const;

/** Facts: one row per measured vital. */
export const vitals = readModel('vitals', {
  website: key('integer'),
  at: key('timestamptz'),
  id: key('uuid'),
  /** As in sessions: the same event of another visitor is another one. */
  actor: key('uuid'),
  visitor: last('uuid?'),
  /** The session it lies in; null = none. */
  session: last('uuid?'),
  /** Text id. */
  path: last('integer'),
  metric: last('smallint'),
  /** Millionths, so that sums are exact. */
  micros: last('bigint'),
});
