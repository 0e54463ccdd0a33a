import { key, last, readModel } from './read-model';

/** Facts: one row per error of a page. Texts are text ids (0 = missing). */
export const errors = readModel('errors', {
  website: key('integer'),
  at: key('timestamptz'),
  id: key('uuid'),
  /** As in sessions: the same event of another visitor is another one. */
  actor: key('uuid'),
  visitor: last('uuid?'),
  /** The session it lies in; null = none. */
  session: last('uuid?'),
  path: last('integer'),
  message: last('integer'),
  error_type: last('integer'),
  filename: last('integer'),
  lineno: last('integer?'),
  colno: last('integer?'),
  stack: last('text?'),
  /** Those of the error itself, for sessions without a page view. */
  country: last('integer'),
  device_type: last('integer'),
  browser_name: last('integer'),
  os_name: last('integer'),
});
