import { keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import type { KeptCount } from '@ledgerline/domain/counting/count';
import { hasEntries, layoutOf, widthOf, type PackRows } from '@ledgerline/domain/counting/kept-pack';
import { KEPT_COUNTS } from '@ledgerline/domain/counts/website-counts';
import { textHash } from '@ledgerline/platform/database/text';
import { readPacks } from '../comparing/kept-packs';
import { answeringTable, type LivePartition } from './live-partition';
import { foundDomains, LINKS_CLICKED } from './link-domains';
import type { Signatures, TimeRange } from './signatures';

/** Adds what is kept of websites by day, whatever packs it is in, to their signatures. `rest` is called after each statement. */
export async function signKept(
  { pool, tables }: LivePartition,
  signatures: ReadonlyMap<number | string, Signatures>,
  ranges: readonly TimeRange[],
  rest: () => Promise<void>,
): Promise<void> {
  const answering = answeringTable(tables, keptCounts);
  if (!answering) return;
  const websites = [...signatures.keys()].map(Number);
  for (const count of KEPT_COUNTS) {
    if (!(count.name in answering.model.columns)) continue;
    for (const range of ranges) {
      const { pack, unreadable } = await readPacks(pool, answering.table, count, websites, daysOf(range));
      const domains = count === LINKS_CLICKED ? await foundDomains(pool, tables, pack) : undefined;
      for (const { website, day, sum } of signPack(count, pack, domains)) signatures.get(website)?.add(true, day, sum);
      for (const { website, day } of unreadable) signatures.get(website)?.add(true, day, 1n);
      await rest();
    }
  }
}

/** Each day is in one of the ranges. */
function daysOf([since, until]: TimeRange) {
  const dayOf = (instant: string) => (instant.endsWith('infinity') ? Infinity : Date.parse(instant) / 86_400_000);
  return { since: since.startsWith('-') ? -Infinity : Math.ceil(dayOf(since)), until: Math.ceil(dayOf(until)) - 1 };
}

/**
 * The sums of the hashes of merged rows, by website and day: the order of rows and entries does not show.
 * @param further a column that is signed with them
 */
export function* signPack(count: KeptCount, pack: PackRows, further?: Numbers) {
  const seed = Number.parseInt(textHash(count.name).slice(0, 8), 16);
  const [high, low] = [seed, ~seed].map((each) => hashesOf(count, pack, each, further)) as [Int32Array, Int32Array];
  const { website, size } = pack;
  const days = pack.columns[0] as Numbers;
  for (let row = 0; row < size;) {
    const [of, day] = [website[row] as number, days[row] as number];
    let [highs, lows] = [0, 0];
    for (; row < size && website[row] === of && days[row] === day; row++) {
      highs = (highs + (high[row] as number)) | 0;
      lows = (lows + (low[row] as number)) | 0;
    }
    yield { website: of, day, sum: (BigInt(highs) << 32n) + BigInt(lows) };
  }
}

function hashesOf(count: KeptCount, { size, columns }: PackRows, seed: number, further?: Numbers): Int32Array {
  const { keys, measures } = layoutOf(count);
  const hashes = new Int32Array(size).fill(seed);
  const mixIn = (column: Numbers) => {
    for (let row = 0; row < size; row++) hashes[row] = mixed(hashes[row] as number, column[row] as number);
  };
  for (const column of columns.slice(1, 1 + keys.length)) mixIn(column);
  if (further) mixIn(further);
  for (const { kept, first } of measures) {
    if (!hasEntries(kept)) for (const column of columns.slice(first, first + widthOf(kept))) mixIn(column);
    else {
      const [lengths, at, counts] = columns.slice(first, first + 3) as [Numbers, Numbers, Numbers];
      for (let row = 0, entry = 0; row < size; row++) {
        let sum = 0;
        for (const end = entry + (lengths[row] as number); entry < end; entry++)
          sum = (sum + mixed(mixed(seed, at[entry] as number), counts[entry] as number)) | 0;
        hashes[row] = mixed(hashes[row] as number, sum);
      }
    }
  }
  return hashes;
}

/** A hash of 32 bits, with a further number up to 2^53. */
function mixed(hash: number, value: number): number {
  let bits = Math.imul(hash ^ value, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 15) ^ Math.floor(value / 2 ** 32), 0x85ebca6b);
  return bits ^ (bits >>> 13);
}
