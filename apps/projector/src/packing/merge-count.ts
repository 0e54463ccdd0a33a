import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import { endToEnd } from '@ledgerline/domain/counting/columns';
import type { KeptCount } from '@ledgerline/domain/counting/count';
import { layoutOf, mergePacks, type PackRows } from '@ledgerline/domain/counting/kept-pack';
import type { Window } from '@ledgerline/domain/sessions/local-session';
import { rowsOn } from '../comparing/kept-packs';

/** Rows of a count that are merged at once: nothing else of this process runs meanwhile. */
const AT_ONCE = 40_000;

/** Merges packs of a count, each of one website; very many rows in pieces of some days. */
export async function mergeCount(
  count: KeptCount,
  packs: readonly PackRows[],
  pause: () => Promise<void>,
  atOnce = AT_ONCE,
): Promise<PackRows> {
  const layout = layoutOf(count);
  if (packs.reduce((sum, { size }) => sum + size, 0) <= atOnce) return mergePacks(layout, packs);
  const merged: PackRows[] = [];
  for (const website of new Set(packs.map((pack) => websiteOf(pack)))) {
    const own = packs.filter((pack) => websiteOf(pack) === website);
    for (const days of windowsOf(own, atOnce)) {
      const parts = own.map((pack) => rowsOn(count, pack, website, days));
      merged.push(mergePacks(layout, parts));
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

const websiteOf = ({ website }: PackRows): number => website[0] ?? 0;

/** As many days in each as have so many rows, and the rest. */
function windowsOf(packs: readonly PackRows[], atOnce: number): readonly Window[] {
  const rows = new Map<number, number>();
  for (const { columns } of packs) for (const day of columns[0] as Numbers) rows.set(day, (rows.get(day) ?? 0) + 1);
  const windows: Window[] = [];
  let [since, sum] = [-Infinity, 0];
  for (const [day, of] of [...rows].sort(([a], [b]) => a - b)) {
    sum += of;
    if (sum < atOnce) continue;
    windows.push({ since, until: day });
    [since, sum] = [day + 1, 0];
  }
  return [...windows, { since, until: Infinity }];
}
