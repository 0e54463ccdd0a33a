import type { SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';

/**
 * The sessions that the filters of a question on attributes select, as columns: each place holds one session. Those
 * without an event in its range may be among them; they add nothing.
 */
export interface SelectedSessions {
  readonly size: number;
  /** The visitor of each session, numbered from 0 in the order in which they come; -1 = none. */
  readonly visitors: Int32Array;
  readonly visitorCount: number;
  /** 1 = a session whose first page view lies in the range and of which filters on pages select at least one page view. */
  readonly isCounted: Uint8Array;
  readonly field: (name: SessionField) => Numbers;
  /** The units in the range that filters on pages select. */
  readonly units: (name: Unit) => SelectedUnits;
  /** All units of these sessions, in or out of the range. */
  readonly allUnits: (name: Unit) => AllUnits;
}

/** Units of sessions, those of one session together and in order. */
export interface SelectedUnits {
  readonly size: number;
  /** How many each session has. */
  readonly counts: Int32Array;
  /** The place of each one's session, ascending. */
  readonly places: Int32Array;
  /** A field of `UNIT_FIELDS`, or of its session. */
  readonly field: (name: string) => Numbers;
}

export interface AllUnits extends SelectedUnits {
  /** 1 = filters on pages select it. */
  readonly isSelected: Uint8Array;
  /** A field of the first unit of each session; 0 without any. */
  readonly first: (name: string) => Numbers;
  readonly last: (name: string) => Numbers;
}
