import type { SessionField, Unit } from './session-days';

/** Integers, up to 2^53 where they do not fit into 32 bits. */
export type Numbers = Int32Array | Float64Array;

/** Some sessions as columns: each place holds one session. Only the fields and units that were read are there. */
export interface SessionChunk {
  readonly size: number;
  /** @throws RangeError for a field that was not read */
  readonly field: (name: SessionField) => Numbers;
  /** @throws RangeError for units that were not read */
  readonly unit: (name: Unit) => UnitColumns;
}

/** The units of these sessions, those of one session together and in order. */
export interface UnitColumns {
  /** How many each session has. */
  readonly counts: Int32Array;
  /** How many there are. */
  readonly size: number;
  /** By the names in `UNIT_FIELDS`. */
  readonly field: (name: string) => Numbers;
}

/** Columns that are all there. */
export const chunkOfColumns = (
  size: number,
  fields: ReadonlyMap<SessionField, Numbers>,
  units: ReadonlyMap<Unit, UnitColumns>,
): SessionChunk => ({ size, field: (name) => columnOf(fields, name), unit: (name) => columnOf(units, name) });

export const unitOfColumns = (counts: Int32Array, fields: ReadonlyMap<string, Numbers>): UnitColumns => ({
  counts,
  size: fields.get('at')?.length ?? 0,
  field: (name) => columnOf(fields, name),
});

function columnOf<Name extends string, Column>(columns: ReadonlyMap<Name, Column>, name: Name): Column {
  const column = columns.get(name);
  if (column === undefined) throw new RangeError(`The ${name} of sessions were not read.`);
  return column;
}
