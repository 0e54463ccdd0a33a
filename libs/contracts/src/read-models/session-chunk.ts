import type { SessionField, Unit } from './session-days';

/** Integers, up to 2^53 where they do not fit into 32 bits. */
export type Numbers = Int32Array | Float64Array;

/** Some sessions as columns: each place holds one session. Only the fields and units that were asked for are there. */
export interface SessionChunk {
  readonly size: number;
  readonly fields: ReadonlyMap<SessionField, Numbers>;
  readonly units: ReadonlyMap<Unit, UnitColumns>;
}

/** The units of these sessions, those of one session together and in order. */
export interface UnitColumns {
  /** How many each session has. */
  readonly counts: Int32Array;
  /** By the names in `UNIT_FIELDS`; as long as the sum of the counts. */
  readonly fields: ReadonlyMap<string, Numbers>;
}
