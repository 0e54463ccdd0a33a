import {
  KEY_BYTES,
  type Numbers,
  PART_COLUMNS,
  type SessionChunk,
  type SessionField,
  type Unit,
  type UnitColumns,
  UNIT_FIELDS,
} from '@ledgerline/contracts/read-models/session-days';
import { everyRow, ownersOf, type PackedSessions, take, sumOf, unitsAt, rowsWhere } from './columns';
import { ColumnReader } from './integer-column';
import { dropUnlessAny, dropUnmatched, type SelectingFilter } from './scope';
import { blank, floats, integers, remember, bytes } from './scratch';
import { encodeSessions, type PackedColumn, decodeSessions } from './session-day';

/** A column of the read model `session_parts`. */
export type PartColumn = PackedColumn | (typeof PART_COLUMNS)[number];

/** Whom a part has, and who is not of its day any more: `KEY_BYTES` for each. */
export interface PartKeys {
  readonly keys: Uint8Array;
  readonly gone: Uint8Array;
}

/** Some columns of a part. */
export interface PackedPart {
  /** The number of sessions. */
  readonly size: number;
  readonly columns: ReadonlyMap<PartColumn, Uint8Array>;
}

/** The bytes of each column for sessions that began on a day, in the order of their keys; null = nothing but 0, or no keys. */
export function* encodePart(
  chunk: SessionChunk,
  day: number,
  { keys, gone }: PartKeys,
): Generator<readonly [PartColumn, Uint8Array | null], void> {
  yield* encodeSessions(chunk, day);
  yield ['keys', keys];
  yield ['gone', gone.length === 0 ? null : gone];
}

/**
 * The sessions of a part of a day at these places, which ascend; of each column no more is decoded, and that when it is
 * first asked for. @throws RangeError for damaged bytes
 */
export function decodePart(part: PackedPart, day: number, places = everyRow(part.size)): PackedSessions {
  const { size, columns } = part;
  const field = remember((name: SessionField): Numbers => {
    const values = new ColumnReader(bytesOf(columns, name)).readRows(
      blank(Int32Array, places.length),
      0,
      places.length,
      { rows: places, begin: 0, count: size },
    );
    return name === 'first_at' ? after(DAY_MS * day, values) : values;
  });
  const unit = remember((name: Unit) =>
    decodeUnit(new ColumnReader(bytesOf(columns, name)), { size, places, field, name }),
  );
  return { size: places.length, field, unit, take: (some) => decodePart(part, day, take(places, some)) };
}

const DAY_MS = 86_400_000;

interface UnitOfPart extends Pick<SessionChunk, 'field'> {
  readonly name: Unit;
  readonly size: number;
  readonly places: Int32Array;
}

function decodeUnit(reader: ColumnReader, { name, size, places, field: ofSession }: UnitOfPart): UnitColumns {
  const ofAll = integers(size);
  reader.readInto(ofAll, 0, size);
  const all = sumOf(ofAll);
  const counts = take(ofAll, places);
  const units = unitsAt(ofAll, places);
  const begins = UNIT_FIELDS[name].map((of) => {
    const begin = reader.place;
    if (all > 0) reader.skip();
    return [of, begin] as const;
  });
  const field = remember((of: string): Numbers => {
    const [, begin] = begins.find(([each]) => each === of) ?? [];
    if (begin === undefined) throw new RangeError(`The ${name} of sessions have no field ${of}.`);
    if (all === 0) return of === 'at' ? floats(0) : integers(0);
    reader.seek(begin);
    const values = reader.readRows(blank(Int32Array, units.length), 0, units.length, {
      rows: units,
      begin: 0,
      count: all,
    });
    return of === 'at' ? afterFirst(values, ownersOf(counts), ofSession('first_at')) : values;
  });
  return { counts, size: units.length, field };
}

/** Times by how many ms after another one they are. */
function after(time: number, ms: Numbers): Float64Array {
  const times = blank(Float64Array, ms.length);
  for (let at = 0; at < times.length; at++) times[at] = time + (ms[at] as number);
  return times;
}

/** Times of units by how long after the first event of their session they are. */
function afterFirst(ms: Numbers, owners: Int32Array, firstAt: Numbers): Float64Array {
  const times = blank(Float64Array, ms.length);
  for (let at = 0; at < times.length; at++) times[at] = (ms[at] as number) + (firstAt[owners[at] as number] as number);
  return times;
}

export const partKeys = ({ columns }: PackedPart): PartKeys => {
  const gone = bytesOf(columns, 'gone');
  return { keys: bytesOf(columns, 'keys'), gone: gone.length < KEY_BYTES ? NO_KEYS : gone };
};

export const NO_KEYS = new Uint8Array();

function bytesOf(columns: PackedPart['columns'], name: PartColumn): Uint8Array {
  const bytes = columns.get(name);
  if (!bytes) throw new RangeError(`The ${name} of parts were not read.`);
  return bytes;
}

const WORDS = KEY_BYTES / Int32Array.BYTES_PER_ELEMENT;

/**
 * The places of the sessions of each part that no newer one has, or says to be gone. TRICKY: nearly all keys are in one part
 * alone; two marks for a few bits of a key find these without looking them up.
 * @param newestFirst parts of one day
 */
export function liveRows(newestFirst: readonly PartKeys[]): Int32Array[] {
  const parts = newestFirst.map(({ keys, gone }) => ({ keys: wordsOf(keys), gone: wordsOf(gone) }));
  const all = parts.flatMap(({ keys, gone }) => [keys, gone]);
  const several = new SeveralTimes(all);
  const newer = new Keys(all.reduce((sum, keys) => sum + several.count(keys), 0));
  return parts.map(({ keys, gone }) => {
    const places = integers(keys.length / WORDS);
    let live = 0;
    for (let place = 0; place < places.length; place++)
      if (!several.has(keys, place) || !newer.has(keys, place)) places[live++] = place;
    for (const some of [keys, gone])
      for (let place = 0; place < some.length / WORDS; place++) if (several.has(some, place)) newer.add(some, place);
    return places.subarray(0, live);
  });
}

const BITS_OF_KEY = 16;
const BITS_OF_WORD = 32;

/** The keys that may be there more than once, by some of their bits. */
class SeveralTimes {
  private readonly marks: Int32Array;
  private readonly last: number;

  constructor(all: readonly Int32Array[]) {
    const keys = all.reduce((sum, { length }) => sum + length / WORDS, 0);
    const bits = 2 ** Math.ceil(Math.log2(BITS_OF_KEY * (keys + 2)));
    const once = integers(bits / BITS_OF_WORD);
    this.marks = integers(bits / BITS_OF_WORD);
    this.last = bits - 1;
    for (const words of all) {
      for (let at = 0; at < words.length; at += WORDS) {
        const bit = (words[at] ?? 0) & this.last;
        const word = bit >>> 5;
        const mask = 1 << (bit & 31);
        if (((once[word] ?? 0) & mask) !== 0) this.marks[word] = (this.marks[word] ?? 0) | mask;
        else once[word] = (once[word] ?? 0) | mask;
      }
    }
  }

  has(words: Int32Array, place: number): boolean {
    const bit = (words[place * WORDS] ?? 0) & this.last;
    return ((this.marks[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }

  /** Counts how many of these. */
  count(words: Int32Array): number {
    let count = 0;
    for (let place = 0; place < words.length / WORDS; place++) if (this.has(words, place)) count++;
    return count;
  }
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

  add(keys: Int32Array, place: number): void {
    const slot = this.slotOf(keys, place);
    if (this.slots[slot] !== 0) return;
    this.words.set(keys.subarray(place * WORDS, (place + 1) * WORDS), this.size * WORDS);
    this.slots[slot] = ++this.size;
  }

  /** Where a key is, or may be put. */
  private slotOf(keys: Int32Array, place: number): number {
    const { slots, words } = this;
    const from = place * WORDS;
    let slot = (keys[from + 1] ?? 0) & (slots.length - 1);
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

/** The parts of a day that is open. */
export interface OpenDay {
  /** Since 1970-01-01. */
  readonly day: number;
  readonly newestFirst: readonly PackedPart[];
  /** The keys of sessions that have changed since. */
  readonly changed: Uint8Array;
}

/**
 * The sessions of the parts of a day, but for those that have changed since.
 * @param filters on the country and the device alone; what does not pass them is not decoded
 */
export function sessionsOfParts(
  { day, newestFirst, changed }: OpenDay,
  filters: readonly SelectingFilter[] = [],
): readonly SessionChunk[] {
  const [, ...live] = liveRows([{ keys: changed, gone: NO_KEYS }, ...newestFirst.map(partKeys)]);
  return newestFirst.map((part, nth) => {
    const places = live[nth] ?? new Int32Array();
    return decodePart(part, day, filters.length === 0 ? places : passing(part, day, places, filters));
  });
}

function passing(part: PackedPart, day: number, places: Int32Array, filters: readonly SelectingFilter[]): Int32Array {
  const { field } = decodePart(part, day);
  const isLive = bytes(part.size);
  for (const place of places) isLive[place] = 1;
  for (const filter of filters)
    dropUnlessAny(filter, isLive, (alternative, marks) =>
      dropUnmatched(field(alternative.field as SessionField), alternative, marks),
    );
  return rowsWhere(isLive);
}

const NO_ROWS = new Int32Array();

/** All of these sessions as one chunk. */
export const joinedChunks = (chunks: readonly SessionChunk[]): SessionChunk =>
  decodeSessions({ size: NO_ROWS, day: NO_ROWS }, [], chunks);
