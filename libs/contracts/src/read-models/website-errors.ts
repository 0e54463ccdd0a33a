import { distinct } from './distinct';
import { key, last, max, readModel, sum } from './read-model';

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

/** Counted sessions with an error, by website and the day of their first page view. */
export const errorSessions = readModel('error_sessions', {
  website: key('integer'),
  day: key('date'),
  sessions: sum('integer'),
});

/** What a text of errors is. */
export const ERROR_TEXT = { type: 1, message: 2 } as const;

/** Errors by their type and by their message (text ids, 0 = missing), in blocks of days (see blocks). */
export const errorTexts = readModel('error_texts', {
  website: key('integer'),
  span: key('smallint'),
  day: key('date'),
  /** {@link ERROR_TEXT} */
  kind: key('smallint'),
  value: key('integer'),
  errors: sum('integer'),
  last_at: max('timestamptz'),
});

/** Visitors with errors by type, and sessions with errors; EVERY_VALUE = any type. */
export const errorUsers = distinct('error_users');
export const affectedSessions = distinct('affected_sessions');
