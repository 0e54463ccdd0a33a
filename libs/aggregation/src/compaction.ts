import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import type { DayWindow } from '@ledgerline/contracts/sessions/local-session';
import { RollupRow, RollupRowsByWebsite } from './batch-deltas';
import { endToEnd } from './columns';
import { decodeRollupPart, RollupPartReader } from './rollup-codec';
import { rowsOn } from './rollup-differences';
import { firstFrom, layoutOf, mergeRollupParts, type RollupRows } from './rollup-part';

/** A row of `website_rollups` as it is stored: its columns by name. */
export type StoredRow = { readonly website: number } & Readonly<Record<string, unknown>>;

/**
 * Fewer rows of the same sum: one for each website, or several, of which none has a day of another, where it would be
 * larger than that. Count by count, so that little is decoded at once; `pause` is called in between.
 */
export async function mergeRows(
  rows: readonly StoredRow[],
  largest: number,
  pause: () => Promise<void>,
): Promise<readonly RollupRow[]> {
  const merged = new RollupRowsByWebsite();
  for (const count of ROLLUPS) {
    const parts = rows.flatMap((row): RollupRows[] => {
      const bytes = row[count.name] as Uint8Array | null;
      if (bytes === null) return [];
      const pack = decodeRollupPart(count, bytes);
      return [{ ...pack, website: new Int32Array(pack.size).fill(row.website) }];
    });
    if (parts.length > 0) merged.add(count, await mergeCount(count, parts, pause));
    await pause();
  }
  const cut: RollupRow[] = [];
  for (const row of merged.rows) {
    if (row.size <= largest) cut.push(row);
    else cut.push(...(await cutByDay(row, largest, pause)));
  }
  return cut;
}

/** A row as several: as many days in each as reach this size, and the rest. */
async function cutByDay(row: RollupRow, largest: number, pause: () => Promise<void>): Promise<readonly RollupRow[]> {
  const ends = endsOfPieces(row, largest);
  const pieces = [...ends, Infinity].map(() => new RollupRow(row.website));
  for (const [count, bytes] of row.packs) {
    const pack = decodeRollupPart(count, bytes);
    let from = 0;
    for (const [nth, piece] of pieces.entries()) {
      const to = firstFrom(pack.columns[0] as Numbers, (ends[nth] ?? Infinity) + 1);
      piece.add(count, pack, from, to);
      from = to;
    }
    await pause();
  }
  // TRICKY: they take less room apart than together, but are never to be merged with others again
  for (const [nth, piece] of pieces.entries()) if (nth < ends.length) piece.size = Math.max(piece.size, largest);
  return pieces.filter(({ packs }) => packs.size > 0);
}

/** The last day of each piece but the rest. */
function endsOfPieces({ packs }: RollupRow, largest: number): readonly number[] {
  const sizes = new Map<number, number>();
  for (const [count, bytes] of packs) {
    const days = new RollupPartReader(layoutOf(count), bytes).column(0);
    for (const day of days) sizes.set(day, (sizes.get(day) ?? 0) + bytes.length / days.length);
  }
  const ends: number[] = [];
  let sum = 0;
  for (const [day, size] of [...sizes].sort(([a], [b]) => a - b)) {
    sum += size;
    if (sum < largest) continue;
    ends.push(day);
    sum = 0;
  }
  return ends;
}

/** Rows of a count that are merged at once: nothing else of this process runs meanwhile. */
const AT_ONCE = 40_000;

/** Merges parts of a count, each of one website; very many rows in pieces of some days. */
export async function mergeCount(
  count: Rollup,
  packs: readonly RollupRows[],
  pause: () => Promise<void>,
  atOnce = AT_ONCE,
): Promise<RollupRows> {
  const layout = layoutOf(count);
  if (packs.reduce((sum, { size }) => sum + size, 0) <= atOnce) return mergeRollupParts(layout, packs);
  const merged: RollupRows[] = [];
  for (const website of new Set(packs.map((pack) => websiteOf(pack)))) {
    const own = packs.filter((pack) => websiteOf(pack) === website);
    for (const days of windowsOf(own, atOnce)) {
      const parts = own.map((pack) => rowsOn(count, pack, website, days));
      merged.push(mergeRollupParts(layout, parts));
      await pause();
    }
  }
  return {
    size: merged.reduce((sum, { size }) => sum + size, 0),
    website: endToEnd(merged.map(({ website }) => website)),
    columns: Array.from({ length: layout.width }, (_, nth) =>
      endToEnd(merged.map(({ columns }) => columns[nth] as Numbers)),
    ),
  };
}

const websiteOf = ({ website }: RollupRows): number => website[0] ?? 0;

/** As many days in each as have so many rows, and the rest. */
function windowsOf(packs: readonly RollupRows[], atOnce: number): readonly DayWindow[] {
  const rows = new Map<number, number>();
  for (const { columns } of packs) for (const day of columns[0] as Numbers) rows.set(day, (rows.get(day) ?? 0) + 1);
  const windows: DayWindow[] = [];
  let since = -Infinity;
  let sum = 0;
  for (const [day, of] of [...rows].sort(([a], [b]) => a - b)) {
    sum += of;
    if (sum < atOnce) continue;
    windows.push({ since, until: day });
    since = day + 1;
    sum = 0;
  }
  return [...windows, { since, until: Infinity }];
}
