import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { websiteDays } from '@ledgerline/contracts/read-models/website-days';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { readLayout, versionOf } from '@ledgerline/platform/table-versions/live-tables';
import type { BoundGroup } from '../runner/bound-group';
import { hashOfRecord, recordAt, recordsIn } from './hit-record';
import { readBlocks, SpillFile, type Block } from './spill';

/** Into how many buckets hits go. */
export interface Division {
  readonly buckets: number;
  /** Over how many of them the visitors of a website are spread, by text id; 1 where it is not named. */
  readonly spread: ReadonlyMap<number, number>;
}

/** The visitors of a small website are in one bucket, so that few rows are kept of it. */
export function bucketOf(website: number, hash: number, { buckets, spread }: Division): number {
  const first = Math.imul(website, 0x9e3779b1) >>> 0;
  return (first + (hash % (spread.get(website) ?? 1))) % buckets;
}

/** Over how many buckets each large website is spread, by how many visitors it had. */
export async function spreadOf(
  { pool, name }: BoundGroup,
  { buckets, bucket, events }: { readonly buckets: number; readonly bucket: number; readonly events: number },
): Promise<ReadonlyMap<number, number>> {
  const layout = await readLayout(pool, name);
  if (!layout) return new Map();
  const table = identifier(schemaOf(name, versionOf(layout, websiteDays.name)), websiteDays.name);
  const websites = await run<{ website: number; visitors: number }>(pool, sql`select website, visitors from ${table}`);
  const all = websites.reduce((sum, { visitors }) => sum + visitors, 0);
  const hits = events / Math.max(1, all);
  const spread = websites.map(({ website, visitors }) => [website, Math.ceil((visitors * hits) / bucket)] as const);
  return new Map(
    spread.filter(([, parts]) => parts > 1).map(([website, parts]) => [website, Math.min(parts, buckets)]),
  );
}

/** The blocks of all parts of the log, which are in its order for each visitor. */
export function bucketsOf(
  ranges: readonly { readonly blocks: ReadonlyMap<number, readonly Block[]> }[],
): ReadonlyMap<number, readonly Block[]> {
  const buckets = new Map<number, Block[]>();
  for (const { blocks } of ranges) {
    for (const [bucket, some] of blocks) {
      const known = buckets.get(bucket);
      if (known) known.push(...some);
      else buckets.set(bucket, [...some]);
    }
  }
  return buckets;
}

/** A bucket as so many of its visitors: it is too large where a website was not known to be that large. */
export async function divided(
  blocks: readonly Block[],
  parts: number,
  file: string,
): Promise<Iterable<readonly Block[]>> {
  const found = await SpillFile.write(file, parts, async (spill) => {
    for await (const bytes of readBlocks(blocks)) {
      for (const at of recordsIn(bytes)) {
        const part = Math.imul(hashOfRecord(bytes, at), 0x9e3779b1) >>> 0; // other bits than those that chose the bucket
        const written = spill.add(part % parts, recordAt(bytes, at));
        if (written) await written;
      }
    }
  });
  return found.values();
}
