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

const [HEADER, LENGTH, ENTRY] = [20, 4, 12];

/** What \`array_send\` of Postgres makes of one. */
export function histogramIn(binary: Buffer): Histogram {
  const entries: number[] = [];
  for (let at = HEADER + LENGTH; at < binary.length; at += ENTRY) {
    entries.push(binary.readInt32BE(at) * BASE + binary.readUInt32BE(at + 4));
  }
  return entries;
}
