import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { ByteWriter, ColumnReader, encodeIntegers } from './integer-column';
import { hasEntries, type RollupLayout, layoutOf, type RollupPart } from './rollup-part';

/**
 * A part as bytes: byte 0 its kind, a varint of how many rows it has, then its columns. Of few rows each number is a signed
 * varint; else the columns are as `integer-column` says, end to end.
 */
const KIND = { varints: 1, columns: 2 } as const;
const FEW = 16;

/** The bytes of some rows of a part. */
export function encodeRollupPart(layout: RollupLayout, part: RollupPart, from = 0, to = part.size): Uint8Array {
  const writer = new ByteWriter();
  const isSmall = to - from <= FEW;
  writer.byte(isSmall ? KIND.varints : KIND.columns);
  writer.varint(to - from);
  for (const column of columnsBetween(layout, part, from, to)) {
    if (isSmall) for (const value of column) writer.signed(value);
    else writer.bytesOf(encodeIntegers(column));
  }
  return writer.written();
}

/** The columns of some rows of a part. */
export function* columnsBetween(
  layout: RollupLayout,
  { columns }: RollupPart,
  from: number,
  to: number,
): Iterable<Numbers> {
  const entries = new Set(layout.measures.filter(({ stored }) => hasEntries(stored)).map(({ first }) => first));
  for (let nth = 0; nth < layout.width; nth++) {
    const column = columns[nth] as Numbers;
    yield column.subarray(from, to);
    if (!entries.has(nth)) continue;
    const before = entriesBefore(column);
    for (let left = 0; left < 2; left++) yield (columns[++nth] as Numbers).subarray(before[from], before[to]);
  }
}

const known = new WeakMap<Numbers, Float64Array>();

/** Returns how many entries the rows before each row have, and all of them; kept, as parts are cut often. */
function entriesBefore(lengths: Numbers): Float64Array {
  const found = known.get(lengths);
  if (found) return found;
  const before = new Float64Array(lengths.length + 1);
  for (let row = 0; row < lengths.length; row++) before[row + 1] = (before[row] as number) + (lengths[row] as number);
  known.set(lengths, before);
  return before;
}

/** The sum of some rows of a column. */
export function sumBetween(column: Numbers, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += column[at] as number;
  return sum;
}

/** The columns of a part, each read when it is asked for. */
export class RollupPartReader {
  readonly size: number;
  private readonly places: number[] = [];
  private readonly columns: (Numbers | undefined)[] = [];
  private readonly reader: ColumnReader;

  /** @throws RangeError of bytes that are no part */
  constructor(
    private readonly layout: RollupLayout,
    bytes: Uint8Array,
  ) {
    this.reader = new ColumnReader(bytes, 1);
    this.size = this.reader.varint();
    if (bytes[0] === KIND.varints) this.readVarints();
    else if (bytes[0] !== KIND.columns) throw new RangeError('What is stored has another layout.');
  }

  whole(): RollupPart {
    return { size: this.size, columns: Array.from({ length: this.layout.width }, (_, nth) => this.column(nth)) };
  }

  column(nth: number): Numbers {
    const known = this.columns[nth];
    if (known) return known;
    const { reader, places } = this;
    if (places.length === 0) places.push(reader.place);
    while (places.length <= nth) {
      reader.seek(places[places.length - 1] as number);
      reader.skip();
      places.push(reader.place);
    }
    const size = this.sizeOf(nth);
    reader.seek(places[nth] as number);
    return (this.columns[nth] = reader.read(size));
  }

  /** Returns the size of a column; of entries as many as the rows have. */
  private sizeOf(nth: number): number {
    const measure = this.layout.measures.findLast(({ first }) => first <= nth);
    if (!measure || !hasEntries(measure.stored) || nth === measure.first) return this.size;
    return sumBetween(this.column(measure.first), 0, this.size);
  }

  private readVarints(): void {
    for (let nth = 0; nth < this.layout.width; nth++) {
      const column = new Float64Array(this.sizeOf(nth));
      for (let at = 0; at < column.length; at++) column[at] = this.reader.signed();
      this.columns[nth] = column;
    }
  }
}

/** All rows of a part of a rollup. @throws RangeError for damaged bytes */
export const decodeRollupPart = (rollup: Rollup, bytes: Uint8Array): RollupPart =>
  new RollupPartReader(layoutOf(rollup), bytes).whole();
