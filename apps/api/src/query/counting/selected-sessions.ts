import type { SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';

/**
 * The sessions that the filters of a question on attributes select and that have an event in its range (or perhaps, if
 * they only touch it: they add nothing then), as columns: each place holds one session.
 */
export interface SelectedSessions {
  readonly size: number;
  /** The number of each session's visitor; -1 = none. */
  readonly visitors: Int32Array;
  /** More than every number of a visitor. */
  readonly visitorCount: number;
  /** 1 = a session whose first page view lies in the range and of which filters on pages select at least one page view. */
  readonly isCounted: Uint8Array;
  readonly field: (name: SessionField) => Numbers;
  /** How many page views, custom events and outgoing links each session has in all, whatever lies in the range. */
  readonly totals: { readonly views: Int32Array; readonly actions: Int32Array };
  /** The units in the range that filters on pages select. */
  readonly units: (name: Unit) => SelectedUnits;
  /** All units of these sessions, in or out of the range; 1 in `isSelected` = filters on pages select it. */
  readonly allUnits: (name: Unit) => SelectedUnits & { readonly isSelected: Uint8Array };
}

/** Units of sessions, those of one session together and in order. */
export interface SelectedUnits {
  readonly size: number;
  /** The place of each one's session. */
  readonly places: Int32Array;
  /** Epoch ms. */
  readonly at: Float64Array;
  /** A field of `UNIT_FIELDS`. */
  readonly field: (name: string) => Numbers;
}
