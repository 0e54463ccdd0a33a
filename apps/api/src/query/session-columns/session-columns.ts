import type { Attribute } from '@ledgerline/domain/sessions/session';

/** What is only read of the sessions where a type needs it: text ids. */
export type SessionColumn = Attribute | 'entry_path' | 'exit_path';

/**
 * The sessions that filters on attributes select in a range, as columns: each place holds one session. All have a page
 * view, though not always in the range.
 */
export interface SessionColumns {
  readonly size: number;
  /** The number of each session's visitor, from 0; -1 = it has none. */
  readonly visitors: Int32Array;
  readonly visitorCount: number;
  /** Of the whole session, whatever lies in the range. */
  readonly pageviews: Int32Array;
  /** Custom events and outgoing links, likewise. */
  readonly actions: Int32Array;
  /** 1 = bounced. */
  readonly bounced: Uint8Array;
  readonly column: (name: SessionColumn) => Int32Array;
  /** Epoch ms of the first event, and ms up to the last one or longer; only for types that ask for times. */
  readonly firstAt: Float64Array;
  readonly durationMs: Float64Array;
  /** How many page views, and custom events with outgoing links, lie in the range. */
  readonly inRange: { readonly pageviews: Int32Array; readonly actions: Int32Array };
  /** 1 = the first page view lies in the range. */
  readonly isCounted: Uint8Array;
  /** Each page view in the range; only for types that ask for paths. */
  readonly views: PathViews;
  /** The visits of pages in the range of which something is reported; only for types that ask for visits. */
  readonly visits: PageVisits;
  /** All hits of the sessions across the ends of the range and, for types that ask for paths or visits, of very long ones. */
  readonly readHits: readonly SelectedHit[];
  /** All hits of the sessions at these places; only for types that ask for hits. */
  readonly loadHits: (places: readonly number[]) => Promise<readonly SelectedHit[]>;
}

/** Each with the place of its session; those of one session come together and in order. */
export interface PathViews {
  readonly paths: Int32Array;
  readonly places: Int32Array;
}

/** As in the domain, -1 = unknown; each with the place of its session. */
export interface PageVisits {
  readonly paths: Int32Array;
  readonly places: Int32Array;
  readonly timeMs: Int32Array;
  readonly scroll: Int32Array;
  readonly interactions: Int32Array;
}

export interface SelectedHit {
  /** Of its session. */
  readonly place: number;
  readonly at: number;
  readonly kind: number;
  readonly path: number;
  readonly text: number;
  readonly extra: number;
}
