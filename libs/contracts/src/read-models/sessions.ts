import { SESSION_ATTRIBUTES } from '../attributes';
import { fromKeys } from '../json';
import { EVENT_KINDS, KINDS, widthOfHit, type EventKinds } from './event-kinds';
import { key, last, meaning, notCompared, readModel } from './read-model';
import { REFERRER_RULES_VERSION } from './session-days';

/** The number of each kind, which hits are stored with. */
export const HIT = Object.fromEntries(Object.entries(EVENT_KINDS).map(([name, { number }]) => [name, number])) as {
  readonly [Name in keyof EventKinds]: EventKinds[Name]['number'];
};

/** Where a session id comes from. `none`: an event without visitor or session, kept here so that it is counted. */
export const SESSION_KIND = { client: 0, gap: 1, none: 2 } as const;

/**
 * Facts: one row per session with all its hits, sorted by (time, id). Everything the rollups hold is a pure function of
 * the rows of one visitor here. Attribute columns are text ids (0 = unknown, for referrer: direct) of the first page view.
 */
export const sessions = meaning(
  readModel(
    'sessions',
    {
      website: key('integer'),
      /** The visitor; without one the session; without either one of the event (`singleEventId`). Rollups are differences of all its sessions. */
      actor: key('uuid'),
      session: key('uuid'),
      kind: last('smallint'),
      bounced: last('boolean'),
      visitor: last('uuid?'),
      /** The visitor's, from 0 and dense in the website, in the order of the log; null = no visitor. */
      visitor_number: notCompared(last('integer?')),
      /** First and last event of any kind. */
      first_at: last('timestamptz'),
      last_at: last('timestamptz'),
      /** First page view; null = the session has none and does not count as one. */
      entered_at: last('timestamptz?'),
      duration_ms: last('bigint'),
      pageviews: last('integer'),
      custom_events: last('integer'),
      outgoing_links: last('integer'),
      entry_path: last('integer'),
      exit_path: last('integer'),
      ...fromKeys(SESSION_ATTRIBUTES, () => last('integer')),
      hit_at: last('timestamptz[]'),
      hit_id: last('uuid[]'),
      hit_kind: last('smallint[]'),
      hit_path: last('integer[]'),
      hit_hostname: last('integer[]'),
      /** The values of all hits end to end: of each as many as its kind declares. */
      hit_values: last('integer[]'),
    },
    [{ on: ['website', 'first_at'] }, { on: ['session'], using: 'hash' }],
  ),
  11,
  REFERRER_RULES_VERSION,
  ...KINDS.map(({ number }) => widthOfHit(number)),
);
