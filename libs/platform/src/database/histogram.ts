/** Entries of a `histogram` column, sorted by bin; in a difference between two of them counts may be negative. */
export type Histogram = readonly number[];

const BASE = 2 ** 32;

export const entryOf = (bin: number, count = 1): number => bin * BASE + count;
export const binOf = (entry: number): number => Math.round(entry / BASE);
export const countOf = (entry: number): number => entry - binOf(entry) * BASE;

/** The counts of both, bin by bin, those of the second times a sign. */
export function addHistograms(a: Histogram, b: Histogram, sign: 1 | -1 = 1): Histogram {
  if (b.length === 0) return a;
  const sum: number[] = [];
  let [left, right] = [0, 0];
  while (left < a.length || right < b.length) {
    const [one, other] = [a[left], b[right]];
    const [first, second] = [one === undefined ? Infinity : binOf(one), other === undefined ? Infinity : binOf(other)];
    const bin = Math.min(first, second);
    let count = 0;
    if (first === bin) count += countOf(a[left++] ?? 0);
    if (second === bin) count += sign * countOf(b[right++] ?? 0);
    if (count !== 0) sum.push(entryOf(bin, count));
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
        from (select entry, (entry + ${BASE / 2}) >> 32 as bin from unnest(old.${column} || excluded.${column}) entry) entries
        group by bin
      ) bins where count <> 0
    ) end`;

/** What `array_send` of Postgres makes of an array: how many dimensions at first, how many elements at the third place. */
const [HEADER, EMPTY_HEADER, SIZE_AT, LENGTH, ENTRY] = [20, 12, 12, 4, 12];

/** Each bin and its count of stored histograms that were sent by `array_send` and laid end to end. */
export function eachEntry(binary: Buffer, visit: (bin: number, count: number) => void): void {
  let at = 0;
  while (at < binary.length) {
    const size = binary.readInt32BE(at) === 0 ? 0 : binary.readInt32BE(at + SIZE_AT);
    at += size === 0 ? EMPTY_HEADER : HEADER;
    for (const end = at + size * ENTRY; at < end; at += ENTRY) {
      visit(binary.readInt32BE(at + LENGTH), binary.readUInt32BE(at + LENGTH + 4));
    }
  }
}
