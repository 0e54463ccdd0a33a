import { RollupPartReader } from '@ledgerline/aggregation/rollup-codec';
import {
  hasEntries,
  layoutOf,
  mergeRollupParts,
  widthOf,
  type RollupLayout,
  type RollupRows,
} from '@ledgerline/aggregation/rollup-part';
import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import { ROLLUPS, rollupNamed, type RollupName } from '@ledgerline/contracts/aggregates/website-aggregates';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';

/** As findings name the table and column of a rollup. */
export const columnOfRollup = (name: RollupName): string => `website_rollups.${rollupNamed(name).name}`;

/** A row of `website_rollups`, with its columns by name. */
export interface KeptRowBytes {
  readonly website: number;
  readonly packs: Readonly<Record<string, Uint8Array | null>>;
}

/** All rows in the table of a version, of websites with a greater text id. */
export async function readKept(on: Queryable, schema: string, after = 0): Promise<readonly KeptRowBytes[]> {
  type Stored = { readonly website: number } & Record<string, Uint8Array | null>;
  const rows = await run<Stored>(
    on,
    sql`select * from ${identifier(schema, 'website_rollups')} where website > ${after}`,
  );
  return rows.map(({ website, ...packs }) => ({ website, packs }));
}

/** Returns what rows add up to: of each count its rows as text, sorted; counts without any are left out. */
export function keptSums(rows: readonly KeptRowBytes[]): Readonly<Record<string, readonly string[]>> {
  const sums = ROLLUPS.map((count) => {
    return [count.name, textsOf(layoutOf(count), mergedRollup(count, rows))] as const;
  });
  return Object.fromEntries(sums.filter(([, texts]) => texts.length > 0));
}

/** Returns what rows add up to of one of them. */
export function mergedRollup(rollup: Rollup, rows: readonly KeptRowBytes[]): RollupRows {
  const layout = layoutOf(rollup);
  const parts = rows.flatMap(({ website, packs }): RollupRows[] => {
    const bytes = packs[rollup.name];
    if (!bytes) return [];
    const pack = new RollupPartReader(layout, bytes).whole();
    return [{ ...pack, website: new Int32Array(pack.size).fill(website) }];
  });
  return mergeRollupParts(layout, parts);
}

function textsOf(layout: RollupLayout, { size, website, columns }: RollupRows): readonly string[] {
  const entries = layout.measures.filter(({ stored }) => hasEntries(stored));
  const pairs = new Map(entries.map(({ first }) => [first, pairsOf(columns, first)]));
  return Array.from({ length: size }, (_, row) => {
    const keys = columns.slice(0, 1 + layout.keys.length).map((column) => column[row]);
    const figures = layout.measures.map(({ stored, first }) => {
      const ofRows = pairs.get(first);
      return ofRows ? ofRows[row] : columns.slice(first, first + widthOf(stored)).map((column) => column[row]);
    });
    return JSON.stringify([website[row], ...keys, ...figures]);
  }).sort();
}

/** Returns the entries of each row in their order. */
function pairsOf(columns: readonly Numbers[], first: number): readonly (readonly (readonly [number, number])[])[] {
  const lengths = columns[first] as Numbers;
  const at = columns[first + 1] as Numbers;
  const counts = columns[first + 2] as Numbers;
  let from = 0;
  return Array.from(lengths, (length) => {
    const pairs = Array.from({ length }, (_, nth) => [at[from + nth] as number, counts[from + nth] as number] as const);
    from += length;
    return pairs.sort(([a], [b]) => a - b);
  });
}
