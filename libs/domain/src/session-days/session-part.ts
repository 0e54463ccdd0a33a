import {
  KEY_BYTES,
  PART_COLUMNS,
  SESSION_KEYS,
  type SessionChunk,
  type SessionField,
  type SessionKey,
} from '@ledgerline/contracts/read-models/session-days';
import { ColumnReader, encodeIntegers } from './integer-column';
import { integers, remember } from './scratch';
import { decodeSessions, encodeSessions, orNull, type PackedColumn } from './session-day';

/** A column of the read model `session_parts`. */
export type PartColumn = PackedColumn | (typeof PART_COLUMNS)[number];

/** Whom a part has, and who is not of its day any more: `KEY_BYTES` for each. */
export interface PartKeys {
  readonly keys: Uint8Array;
  readonly gone: Uint8Array;
}

/** Some columns of a part. */
export interface PackedPart {
  /** How many sessions. */
  readonly size: number;
  readonly columns: ReadonlyMap<PartColumn, Uint8Array>;
}

/** The bytes of each column for sessions that began on a day, in the order of their keys; null = nothing but 0, or nobody. */
export function* encodePart(
  chunk: SessionChunk,
  day: number,
  { keys, gone }: PartKeys,
): Generator<readonly [PartColumn, Uint8Array | null], void> {
  yield* encodeSessions(chunk, day);
  for (const name of SESSION_KEYS) yield [name, orNull(encodeIntegers(chunk.field(name)))];
  yield ['keys', keys];
  yield ['gone', gone.length === 0 ? null : gone];
}

/** The sessions of a part of a day; each column is decoded when it is first asked for. @throws RangeError for damaged bytes */
export function decodePart({ size, columns }: PackedPart, day: number): SessionChunk {
  const one = (value: number) => Int32Array.of(value);
  const rows = { size: one(size), day: one(day), country: one(0), device_type: one(0) };
  const packed = decodeSessions(rows, [{ from: 0, to: 1, columns: columns as ReadonlyMap<PackedColumn, Uint8Array> }]);
  const keyField = (name: SessionKey) => new ColumnReader(bytesOf(columns, name)).readInto(integers(size), 0, size);
  const field = remember((name: SessionField) => (isKey(name) ? keyField(name) : packed.field(name)));
  return { ...packed, field };
}

const isKey = (name: SessionField): name is SessionKey => (SESSION_KEYS as readonly string[]).includes(name);

export const keysOf = ({ columns }: PackedPart): PartKeys => {
  const gone = bytesOf(columns, 'gone');
  return { keys: bytesOf(columns, 'keys'), gone: gone.length < KEY_BYTES ? NOBODY : gone };
};

export const NOBODY = new Uint8Array();

function bytesOf(columns: PackedPart['columns'], name: PartColumn): Uint8Array {
  const bytes = columns.get(name);
  if (!bytes) throw new RangeError(`The ${name} of parts were not read.`);
  return bytes;
}

const WORDS = KEY_BYTES / Int32Array.BYTES_PER_ELEMENT;

/**
 * The places of the sessions of each part that no newer one has, or says to be gone.
 * @param newestFirst parts of one day
 */
export function livePlaces(newestFirst: readonly PartKeys[]): Int32Array[] {
  const later = newestFirst.slice(0, -1); // nothing is older than the last one
  const newer = new Keys(later.reduce((sum, { keys, gone }) => sum + (keys.length + gone.length) / KEY_BYTES, 0));
  return newestFirst.map((part, nth) => {
    const keys = wordsOf(part.keys);
    const places = integers(keys.length / WORDS);
    let live = 0;
    for (let place = 0; place < places.length; place++) if (!newer.has(keys, place)) places[live++] = place;
    if (nth < later.length) newer.add(keys);
    if (nth < later.length) newer.add(wordsOf(part.gone));
    return places.subarray(0, live);
  });
}

/** In memory that begins where words may. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const aligned = bytes.byteOffset % Int32Array.BYTES_PER_ELEMENT === 0 ? bytes : Uint8Array.from(bytes);
  return new Int32Array(aligned.buffer, aligned.byteOffset, Math.floor(aligned.length / KEY_BYTES) * WORDS);
}

/** A set of keys. They are hashes, so a word of one is a hash of it. */
class Keys {
  private readonly slots: Int32Array;
  private readonly words: Int32Array;
  private size = 0;

  /** @param most that may be added */
  constructor(most: number) {
    this.slots = integers(2 ** Math.ceil(Math.log2(2 * most + 2)));
    this.words = integers(most * WORDS);
  }

  has(keys: Int32Array, place: number): boolean {
    return this.slots[this.slotOf(keys, place)] !== 0;
  }

  add(keys: Int32Array): void {
    for (let place = 0; place < keys.length / WORDS; place++) {
      const slot = this.slotOf(keys, place);
      if (this.slots[slot] !== 0) continue;
      this.words.set(keys.subarray(place * WORDS, (place + 1) * WORDS), this.size * WORDS);
      this.slots[slot] = ++this.size;
    }
  }

  /** Where a key is, or may be put. */
  private slotOf(keys: Int32Array, place: number): number {
    const { slots, words } = this;
    const from = place * WORDS;
    let slot = (keys[from] ?? 0) & (slots.length - 1);
    for (let nth = slots[slot] ?? 0; nth !== 0; nth = slots[slot] ?? 0) {
      const at = (nth - 1) * WORDS;
      if (
        words[at] === keys[from] &&
        words[at + 1] === keys[from + 1] &&
        words[at + 2] === keys[from + 2] &&
        words[at + 3] === keys[from + 3]
      )
        return slot;
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }
}
