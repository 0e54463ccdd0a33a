import { key, last, readModel, sum } from './read-model';

/** The metrics by their place (from 0), which is how the read models name them. */
export const METRICS = ['LCP', 'FCP', 'CLS', 'INP', 'TTFB', 'FPS'] as const;

/** Facts: one row per measured vital. */
export const vitals = readModel('vitals', {
  website: key('integer'),
  at: key('timestamptz'),
  id: key('uuid'),
  visitor: last('uuid?'),
  /** The session it lies in; null = none. */
  session: last('uuid?'),
  /** Text id. */
  path: last('integer'),
  metric: last('smallint'),
  /** Millionths, so that sums are exact. */
  micros: last('bigint'),
});

/** Vitals as a histogram by website, block of days (see blocks) and metric; `bin` = `durationBin` of the domain of the micros. */
export const vitalBins = readModel('vital_bins', {
  website: key('integer'),
  span: key('smallint'),
  day: key('date'),
  metric: key('smallint'),
  bin: key('smallint'),
  samples: sum('integer'),
  micros: sum(),
});
