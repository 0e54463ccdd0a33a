import { SESSION_ATTRIBUTES, VIEW_ATTRIBUTES, type SessionAttribute } from '../attributes';
import { LINK_KIND, REFERRER_RULES_VERSION, REPORT_BASE } from './session-days';
import { key, last, meaning, notCompared, readModel, type Column } from './read-model';

/** What a hit inside a session is. `hit_path` is its path (0 = none); what text and extra mean depends on the kind. */
export const HIT = {
  /** text, extra: as the attributes of page views say (`hit`) */
  view: 1,
  /** text = scroll depth and interactions (`packReport` of the domain), extra = time on page in ms (-1 = unknown) */
  leave: 2,
  /** text = event name, extra = 1 if it has properties */
  custom: 3,
  /** text = href, extra = text id of the link's text */
  outgoing: 4,
  /** text = message, extra = text id of its type */
  error: 5,
  /** text = metric */
  vital: 6,
  /** as a leave */
  engagement: 7,
  /** as an outgoing link; of a download */
  download: 8,
  /** the same from the website's own domain */
  ownDownload: 9,
} as const;

/** What a hit of an outgoing link, downloads included, has as `link_kind`; undefined for other hits. */
export const linkKindOf = (kind: number): number | undefined => LINK_KINDS[kind];

const LINK_KINDS: Readonly<Record<number, number>> = {
  [HIT.outgoing]: LINK_KIND.link,
  [HIT.download]: LINK_KIND.download,
  [HIT.ownDownload]: LINK_KIND.ownDownload,
};

/** Whether a hit is one of an outgoing link, downloads included. */
export const isOutgoing = (kind: number): boolean => linkKindOf(kind) !== undefined;

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
      ...(Object.fromEntries(SESSION_ATTRIBUTES.map((name) => [name, last('integer')])) as Readonly<
        Record<SessionAttribute, Column<'last'>>
      >),
      hit_at: last('timestamptz[]'),
      hit_id: last('uuid[]'),
      hit_kind: last('smallint[]'),
      hit_path: last('integer[]'),
      hit_text: last('integer[]'),
      hit_extra: last('integer[]'),
    },
    [{ on: ['website', 'first_at'] }, { on: ['session'], using: 'hash' }],
  ),
  10,
  REFERRER_RULES_VERSION,
  REPORT_BASE,
  VIEW_ATTRIBUTES.length,
);
