import { key, last, readModel } from './read-model';

/** Facts: one row per engagement span, with what leaves do not report. A measure that was not sent is null, a count 0. */
export const engagementSpans = readModel('engagement_spans', {
  website: key('integer'),
  at: key('timestamptz'),
  id: key('uuid'),
  /** As in sessions: the same event of another visitor is another one. */
  actor: key('uuid'),
  visitor: last('uuid?'),
  /** The session it lies in; null = none. */
  session: last('uuid?'),
  /** Text ids (0 = missing), as the targets and the field. */
  path: last('integer'),
  time_ms: last('integer?'),
  active_ms: last('integer?'),
  first_interaction_ms: last('integer?'),
  rage_clicks: last('integer'),
  dead_clicks: last('integer'),
  rage_target: last('integer'),
  dead_target: last('integer'),
  form_fields: last('integer'),
  form_submits: last('integer'),
  last_field: last('integer'),
});
