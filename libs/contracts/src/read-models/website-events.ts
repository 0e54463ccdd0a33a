import { key, last, readModel } from './read-model';

/** Facts: one row per custom event. Name and path are text ids (0 = missing). */
export const customEvents = readModel('custom_events', {
  website: key('integer'),
  at: key('timestamptz'),
  id: key('uuid'),
  /** As in sessions: the same event of another visitor is another one. */
  actor: key('uuid'),
  visitor: last('uuid?'),
  /** The session it lies in; null = none. */
  session: last('uuid?'),
  name: last('integer'),
  namespace: last('text?'),
  path: last('integer'),
  properties: last('jsonb?'),
});
