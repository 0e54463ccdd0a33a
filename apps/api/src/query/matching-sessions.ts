import type { Attribute } from '@ledgerline/domain/sessions/session';

/** What is only read of the sessions where a type needs it: text ids, and numbers of custom events with outgoing links. */
export type SessionColumn = Attribute | 'entry_path' | 'exit_path' | 'actions' | 'bounced';

/**
 * The sessions that filters on attributes select in a range, as columns: each place holds one session. All have a page
 * view, though not always in the range.
 */
export interface MatchingSessions {
  readonly size: number;
  /** The number of each session's visitor, from 0; -1 = it has none. */
  readonly visitors: Int32Array;
  readonly visitorCount: number;
  /** Of the whole session, whatever lies in the range. */
  readonly pageviews: Int32Array;
  readonly column: (name: SessionColumn) => Int32Array;
  /** Epoch ms of the first event, and ms up to the last one or longer; only for types that ask for times. */
  readonly firstAt: Float64Array;
  readonly durationMs: Float64Array;
  /** How many page views, and custom events with outgoing links, lie in the range. */
  readonly inRange: { readonly pageviews: Int32Array; readonly actions: Int32Array };
  /** 1 = the first page view lies in the range. */
  readonly isCounted: Uint8Array;
  /** Of sessions that reach over an end of the range, all hits. */
  readonly hitsAcross: readonly SessionHit[];
  /** Each page view in the range; only for types that ask for paths. */
  readonly views: PathViews;
  /** All hits of the sessions at these places. */
  readonly hitsOf: (places: readonly number[]) => Promise<readonly SessionHit[]>;
}

export interface PathViews {
  readonly paths: Int32Array;
  readonly visitors: Int32Array;
}

export interface SessionHit {
  /** Of its session. */
  readonly place: number;
  readonly at: number;
  readonly kind: number;
  readonly path: number;
}
