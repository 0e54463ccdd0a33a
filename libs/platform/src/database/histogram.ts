import { ARRAY_HEADER, arrayLengthAt, elementsAt, writeArrayHeader } from './binary-format';

/**
 * What a `histogram` column holds: each bin and its count in turn, sorted by bin; in a difference between two of them
 * counts may be negative. Both are integers of 32 bits.
 */
export type Histogram = readonly number[];

/** The counts of both, bin by bin, those of the second times a sign. */
export function addHistograms(a: Histogram, b: Histogram, sign: 1 | -1 = 1): Histogram {
  if (b.length === 0) return a;
  const sum: number[] = [];
  let [left, right] = [0, 0];
  while (left < a.length || right < b.length) {
    const [first, second] = [a[left] ?? Infinity, b[right] ?? Infinity];
    const bin = Math.min(first, second);
    let count = 0;
    if (first === bin) {
      count += a[left + 1] ?? 0;
      left += 2;
    }
    if (second === bin) {
      count += sign * (b[right + 1] ?? 0);
      right += 2;
    }
    if (count !== 0) sum.push(bin, count);
  }
  return sum;
}

/** Postgres adds the entries of `excluded` to those of `old`. */
export const mergedHistogram = (
  column: string,
): string => `case when excluded.${column} = '{}' then old.${column} else (
      select coalesce(array_agg((bin << 32) + count order by bin), '{}')
      from (
        select bin, sum((entry - (bin << 32))::integer) as count
        from (select entry, (entry + ${2 ** 31}) >> 32 as bin from unnest(old.${column} || excluded.${column}) entry) entries
        group by bin
      ) bins where count <> 0
    ) end`;

/** Bytes of an entry with its length, which comes first. */
const [LENGTH, ENTRY] = [4, 12];

/** Histograms laid end to end as one array of stored entries, `bin * 2^32 + count`, in the binary format of Postgres. */
export function binaryHistograms(histograms: readonly Histogram[]): Buffer {
  const size = histograms.reduce((sum, { length }) => sum + length / 2, 0);
  const binary = Buffer.alloc(elementsAt(0, size) + size * ENTRY);
  writeArrayHeader(binary, 0, BIGINT, size, false);
  let at = ARRAY_HEADER;
  for (const histogram of histograms) {
    for (let place = 0; place < histogram.length; place += 2) {
      const [bin = 0, count = 0] = [histogram[place], histogram[place + 1]];
      at = binary.writeInt32BE(ENTRY - LENGTH, at);
      at = binary.writeInt32BE(count < 0 ? bin - 1 : bin, at);
      at = binary.writeInt32BE(count, at);
    }
  }
  return binary;
}

const BIGINT = 20;

/** Each bin and its count of stored histograms that were sent by `array_send` and laid end to end. */
export function eachEntry(binary: Buffer, visit: (bin: number, count: number) => void): void {
  let at = 0;
  while (at < binary.length) {
    const size = arrayLengthAt(binary, at);
    at = elementsAt(at, size);
    for (const end = at + size * ENTRY; at < end; at += ENTRY) {
      visit(binary.readInt32BE(at + LENGTH), binary.readUInt32BE(at + LENGTH + 4));
    }
  }
}
