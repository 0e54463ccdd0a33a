import {
  SESSION_FIELDS,
  UNIT_FIELDS,
  UNITS,
  type SessionField,
  type Unit,
} from '@ledgerline/contracts/read-models/session-days';
import type { Numbers, SessionChunk } from '@ledgerline/contracts/read-models/session-chunk';
import { ALL_ZERO, encodeIntegers } from './integer-column';

export const DAY_MS = 86_400_000;

/** A column of the read model `session_days`. */
export type PackedColumn = Exclude<SessionField, 'country' | 'device_type'> | Unit;

/**
 * The bytes of each column for sessions that began on a day, with all of their fields and units; null = nothing but 0. A
 * field is a column of integers (`integer-column`) in the order of the sessions. A unit is several of them end to end: how
 * many each session has, then its fields in the order of `UNIT_FIELDS`. One by one, as those of many sessions take a while.
 */
export function* encodeSessions(
  chunk: SessionChunk,
  day: number,
): Generator<readonly [PackedColumn, Uint8Array | null], void> {
  for (const name of SESSION_FIELDS) {
    const values = chunk.field(name);
    yield [name, orNull(encodeIntegers(name === 'first_at' ? values.map((at) => at - day * DAY_MS) : values))];
  }
  for (const name of UNITS) {
    const { counts, size, field } = chunk.unit(name);
    const parts = UNIT_FIELDS[name].map((of) => {
      if (of !== 'at') return encodeIntegers(field(of));
      const at = field(of).slice();
      shift(at, counts, chunk.field('first_at'), -1);
      return encodeIntegers(at);
    });
    yield [name, size === 0 ? null : joined([encodeIntegers(counts), ...parts])];
  }
}

/** Adds a multiple of its session's number to each unit. */
export function shift(units: Numbers, counts: Int32Array, numbers: Numbers, factor: number): void {
  let at = 0;
  for (let place = 0; place < counts.length; place++) {
    const number = factor * (numbers[place] ?? 0);
    for (const end = at + (counts[place] ?? 0); at < end; at++) units[at] = (units[at] ?? 0) + number;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

const orNull = (bytes: Uint8Array): Uint8Array | null => (bytes === ALL_ZERO ? null : bytes);
