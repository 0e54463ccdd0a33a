import { type Queryable, run } from './pool';
import { type Sql, sql } from './sql';

/** The statement that notes an erasure: until the tables of a database are rewritten, its files have what was erased. */
export const noteErased: Sql = sql`update file_rewrites set due_since = clock_timestamp() where due_since is null`;

/** The time, ms, after an erasure within which nothing of it is left in the files. */
export const FILES_MS = 24 * 3_600_000;

/** Returns up to when, epoch ms, what was erased has left the files of a database; 0 = nothing has yet. */
export async function readFilesCovered(on: Queryable): Promise<number> {
  const [row] = await run<{ at: number | null }>(
    on,
    sql`select (extract(epoch from covered_until) * 1000)::float8 as at from file_rewrites`,
  );
  return row?.at ?? 0;
}
