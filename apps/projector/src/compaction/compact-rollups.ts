import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { mergeRows, type StoredRow } from '@ledgerline/aggregation/aggregation';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import type { GroupSchema } from '@ledgerline/contracts/read-models/registry';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { isCanceled, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { append } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';

interface CompactionPass {
  readonly pool: Pool;
  /** The schema of a version whose table this program writes. */
  readonly schema: string;
  readonly rule?: CompactionRule;
  readonly signal?: AbortSignal;
}

export interface CompactionResult {
  /** Rows that were to be merged; none = there is nothing to do. */
  readonly found: number;
  /** The number of rows that were merged, and of those they became. */
  readonly merged: number;
  readonly into: number;
  /** Websites whose rows could not be. */
  readonly failed: number;
  /** The error of the first failure. */
  readonly error: unknown;
}

/** Returns whether a group keeps counts. */
export const hasRollups = ({ builds }: Pick<GroupSchema, 'builds'>): boolean => builds.includes(websiteRollups);

/** Rows that one pass looks for. */
const LIMIT = 10_000;
/** The rows and bytes of one transaction, which are in memory. */
const MOST_ROWS = 1_000;
const MOST_BYTES = 24 * 1024 * 1024;
/** Until rows that another process merges are looked for again. */
const ELSEWHERE_MS = 100;
/** A crash leaves the rows as they were. Nothing waits for them, and on a busy machine merging many takes a while. */
const BEGIN = "begin; set local synchronous_commit = off; set local idle_in_transaction_session_timeout = '60s'";

/**
 * Merges rows of `website_rollups` once into fewer ones of the same sum. Nothing waits for it: batches only add rows. Rows
 * that another process merges meanwhile are left to it.
 * @throws when the database is unavailable
 */
export async function compactRollups({ pool, schema, rule = RULE, signal }: CompactionPass): Promise<CompactionResult> {
  const found = await findRows(pool, schema, rule, LIMIT);
  const count = { merged: 0, into: 0, failed: 0 };
  let error: unknown;
  const waiting = [...portionsOf(found)];
  for (let rows = waiting.shift(); rows && !signal?.aborted; rows = waiting.shift()) {
    try {
      const into = await mergePortion(pool, schema, rows, rule);
      if (into === undefined) continue;
      count.merged += rows.length;
      count.into += into;
    } catch (failure) {
      if (isUnavailable(failure) && !isCanceled(failure)) throw failure;
      const websites = byWebsite(rows);
      if (websites.length > 1) waiting.push(...websites);
      else count.failed++;
      error ??= failure;
    }
  }
  return { found: found.length, ...count, error };
}

/** Compacts until there is nothing more to merge. @throws what keeps it from that */
export async function compactAll(pass: CompactionPass): Promise<void> {
  for (;;) {
    const { found, merged, failed, error } = await compactRollups(pass);
    if (failed > 0) throw new Error(`The kept counts of ${failed} websites could not be packed`, { cause: error });
    if (found === 0 || pass.signal?.aborted) return;
    if (merged === 0) await setTimeout(ELSEWHERE_MS);
  }
}

/** Counts how many rows they became; undefined if another process was faster. */
async function mergePortion(pool: Pool, schema: string, rows: readonly FoundRow[], { largest }: CompactionRule) {
  try {
    return await transaction(
      pool,
      async (client) => {
        const merged = await mergeRows(await takeRows(client, schema, rows), largest, yieldToEventLoop());
        for (const row of merged) await run(client, append(schema, websiteRollups, [row.values()]));
        return merged.length;
      },
      BEGIN,
    );
  } catch (error) {
    if (error instanceof TakenElsewhere) return undefined;
    throw error;
  }
}

/** Takes the rows back. */
class TakenElsewhere extends Error {}

/** Deletes exactly these rows. @throws TakenElsewhere */
async function takeRows(client: PoolClient, schema: string, rows: readonly FoundRow[]): Promise<readonly StoredRow[]> {
  const table = identifier(schema, websiteRollups.name).text;
  const websites = rows.map(({ website }) => website);
  const taken = await run<StoredRow>(client, {
    text: `delete from ${table} where (website, number) in (
        select website, number from unnest($1::integer[], $2::bigint[]) as found (website, number)
        join ${table} using (website, number) for update of ${identifier(websiteRollups.name).text} skip locked
      ) returning *`,
    values: [binaryArray('integer', websites), rows.map(({ number }) => number)],
  });
  if (taken.length < rows.length) throw new TakenElsewhere();
  return taken;
}

/**
 * Yields portions of a website's rows, as many as fit, if they are at least two; of small websites several together.
 */
function* portionsOf(found: readonly FoundRow[]): Iterable<readonly FoundRow[]> {
  let portion: FoundRow[] = [];
  let bytes = 0;
  for (const all of byWebsite(found)) {
    const rows = fitting(all);
    const size = rows.reduce((sum, row) => sum + row.size, 0);
    if (portion.length > 0 && (portion.length + rows.length > MOST_ROWS || bytes + size > MOST_BYTES)) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    if (rows.length < 2) continue; // the others were not looked for
    portion.push(...rows);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}

function fitting(rows: readonly FoundRow[]): readonly FoundRow[] {
  let count = 0;
  let bytes = 0;
  for (const { size } of rows) {
    bytes += size;
    if (count >= 2 && (count === MOST_ROWS || bytes > MOST_BYTES)) break;
    count++;
  }
  return rows.slice(0, count);
}

function byWebsite(rows: readonly FoundRow[]): readonly (readonly FoundRow[])[] {
  const found = new Map<number, FoundRow[]>();
  for (const row of rows) {
    const known = found.get(row.website);
    if (known) known.push(row);
    else found.set(row.website, [row]);
  }
  return [...found.values()];
}

/** A row that is to be merged with the others of its website. */
interface FoundRow {
  readonly website: number;
  /** A bigint. */
  readonly number: string;
  readonly size: number;
}

/** When rows are merged. */
export interface CompactionRule {
  /** In bytes: rows of up to so many are of one tier, those of more of the next one, and so on. */
  readonly tiers: readonly number[];
  /** In bytes: rows that are so large are left alone. */
  readonly largest: number;
  /** So many rows of one tier are merged, with all that are smaller. */
  readonly ofTier: number;
  /** A website that has more rows is merged, whatever their sizes. */
  readonly most: number;
}

const KIB = 1024;

/** A byte is written again about as often as there are tiers. */
export const RULE: CompactionRule = {
  tiers: [4, 16, 64, 256, 1024, 4096].map((kib) => kib * KIB),
  largest: 8192 * KIB,
  ofTier: 4,
  most: 16,
};

/** The rows that are to be merged now, those of a website one after another and the smallest first; some of them if they are very many. */
function findRows(
  on: Queryable,
  schema: string,
  { tiers, largest, ofTier, most }: CompactionRule,
  limit: number,
): Promise<readonly FoundRow[]> {
  const table = identifier(schema, websiteRollups.name);
  const tier = sql`width_bucket(size, ${[...tiers]}::integer[])`;
  return run<FoundRow>(
    on,
    sql`with tiers as (
        select website, ${tier} as tier, count(*) as rows from ${table} where size < ${largest} group by website, tier
      ), chosen as (
        select website, coalesce(max(tier) filter (where rows >= ${ofTier}), max(tier)) as highest
        from tiers group by website having max(rows) >= ${ofTier} or sum(rows) > ${most}
      )
      select website, number::text, size from chosen join ${table} using (website)
      where size < ${largest} and ${tier} <= highest order by website, size limit ${limit}`,
  );
}
