import type { Numbers, UnitColumns } from '@ledgerline/contracts/read-models/session-chunk';
import type { SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Ordered } from './groups';

/**
 * The sessions that the filters of a question on attributes select, as columns: each place holds one session. Those
 * without an event in its range may be among them; they add nothing.
 */
export interface SelectedSessions {
  readonly size: number;
  /** 1 = a session whose first page view lies in the range and of which filters on pages select at least one page view. */
  readonly isCounted: Uint8Array;
  readonly field: (name: SessionField) => Numbers;
  readonly unit: (name: Unit) => SelectedUnits;
  /** Items, given by the places of their sessions, visitor by visitor. */
  readonly byVisitor: (places: Int32Array) => Ordered;
}

/** All units of a kind that these sessions have; a field is one of `UNIT_FIELDS`, or of their session. */
export interface SelectedUnits extends UnitColumns {
  /** The place of each one's session, ascending. */
  readonly places: Int32Array;
  /** 1 = filters on pages select it. */
  readonly isSelected: Uint8Array;
  /** 1 = it lies in the range, too. */
  readonly isIn: Uint8Array;
}
