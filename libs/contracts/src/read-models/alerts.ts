import { key, last, readModel } from './read-model';

/** What alerts decided: all that they told, and how many windows of a day told nothing. See AlertDecided. */
export const alertDecisions = readModel(
  'alert_decisions',
  {
    alert_id: key('text'),
    /** Of the event. */
    id: key('text'),
    outcome: last('text'),
    began_at: last('timestamptz'),
    ended_at: last('timestamptz'),
    told_at: last('timestamptz'),
    revision: last('bigint'),
    figure: last('double precision?'),
    usual: last('double precision?'),
    as_of: last('timestamptz'),
    why: last('text?'),
    windows: last('integer'),
  },
  [{ on: ['alert_id', 'ended_at'] }],
);
