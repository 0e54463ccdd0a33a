import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { textHash, withoutNul } from '@ledgerline/platform/database/sql';

/** The number of events, and their checksum in any order: the sum of their hashes of 32 bits, modulo 2^32. */
export interface Digest {
  readonly events: number;
  readonly checksum: number;
}

export const NONE: Digest = { events: 0, checksum: 0 };

export const isSameDigest = (a: Digest, b: Digest): boolean => a.events === b.events && a.checksum === b.checksum;

/** By table; what is not in it is {@link NONE}. */
export type TableDigests = ReadonlyMap<string, Digest>;

/** The digests of days (since 1970-01-01) by table. */
export class DayDigests {
  readonly days = new Map<number, Map<string, { events: number; checksum: number }>>();

  add(table: string, day: number, hash: number): void {
    this.addDigest(table, day, { events: 1, checksum: hash });
  }

  addDigest(table: string, day: number, { events, checksum }: Digest): void {
    const ofDay = this.days.get(day) ?? new Map<string, { events: number; checksum: number }>();
    const known = ofDay.get(table);
    if (ofDay.size === 0) this.days.set(day, ofDay);
    if (!known) ofDay.set(table, { events, checksum: checksum | 0 });
    else {
      known.events += events;
      known.checksum = (known.checksum + checksum) | 0;
    }
  }

  addAll({ days }: DayDigests): void {
    for (const [day, tables] of days) for (const [table, digest] of tables) this.addDigest(table, day, digest);
  }
}

/** A hash with a further number up to 2^53. */
export function mixHash(hash: number, value: number): number {
  let bits = Math.imul(hash ^ value, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 15) ^ Math.floor(value / 2 ** 32), 0x85ebca6b);
  return bits ^ (bits >>> 13);
}

/** A hash with a further id of 32 hex digits. */
export function mixedId(hash: number, id: string): number {
  let bits = hash;
  for (let at = 0; at < 32; at += 8) bits = mixHash(bits, Number.parseInt(id.slice(at, at + 8), 16));
  return bits;
}

/** 32 bits of the hash of a text, as the dictionary has them; 0 of a missing one, whose id is 0. */
export const hashText = (text: string | null | undefined): number =>
  text ? Number.parseInt(textHash(withoutNul(text)).slice(0, 8), 16) | 0 : 0;

const NULL = 2 ** 40;

/** The values of columns of text, of JSON (as its text) and of numbers. */
export type DigestColumns = Readonly<Record<string, unknown>>;

/** A hash with further columns, as the projections and the driver give them. */
export function mixedColumns(
  hash: number,
  { columns }: ReadModel,
  names: readonly string[],
  row: DigestColumns,
): number {
  let bits = hash;
  for (const name of names) {
    const value = row[name];
    const isJson = /^jsonb/.test(columns[name]?.type ?? '');
    if (typeof value === 'string') bits = mixHash(bits, hashText(isJson ? sortedJson(value) : value));
    else bits = mixHash(bits, typeof value === 'number' ? value : NULL);
  }
  return bits;
}

/** Whatever the order of names: Postgres has one of its own. */
const sortedJson = (text: string): string =>
  JSON.stringify(JSON.parse(text), (_, value: unknown) =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
