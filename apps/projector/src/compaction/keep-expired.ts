import { RollupRowsByWebsite, rollupRest } from '@ledgerline/aggregation/aggregation';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import type { ErasureRule } from '@ledgerline/domain/erasures/erasure-rules';
import { dayNumber } from '@ledgerline/domain/time/zones';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { WrittenTables } from '../projections/projection-group';
import { readStoredRollups } from './stored-rollups';

/** A website whose rows are about to be replaced by those of what is kept. */
interface Expiring {
  /** Text id. */
  readonly website: number;
  readonly rule: ErasureRule;
  /** The table with the rollups of what is kept, quoted. */
  readonly later: string;
}

/**
 * Returns whether the tables that answer have all rollups of this program, so that those of expired days can be kept.
 */
export const hasEveryRollup = (tables: WrittenTables): boolean =>
  tables.targetsOf(websiteRollups)[0]?.model === websiteRollups;

/**
 * Keeps the rollups of expired days: what those that answer have beyond those of what is kept. To be called in the
 * transaction that replaces them; nothing is done where that was done before.
 */
export async function keepExpired(on: Queryable, tables: WrittenTables, expiring: Expiring): Promise<void> {
  const { website, later, rule } = expiring;
  const { subject, id: before, until } = rule;
  const begins = new Date(until).toISOString();
  const known = sql`select from expirations where website_id = ${subject} and until >= ${begins}::timestamptz`;
  if ((await run(on, known)).length > 0) return;
  const [target] = tables.targetsOf(websiteRollups);
  if (!target || !hasEveryRollup(tables)) throw new Error('Rollups of expired days are kept once all are filled.');
  const table = identifier(target.schema, target.model.name).text;
  for (const count of ROLLUPS) {
    const all = await readStoredRollups(on, table, count, [website]);
    const left = await readStoredRollups(on, later, count, [website]);
    const kept = new RollupRowsByWebsite();
    kept.add(count, rollupRest(count, all.pack, left.pack, dayNumber(before)));
    for (const { number, since, until, ...columns } of kept.values()) {
      const bytes = (columns as Readonly<Record<string, unknown>>)[count.name];
      await run(
        on,
        sql`insert into expired_rollups (website_id, number, rollup, since, until, bytes)
          values (${subject}, ${number}::bigint, ${count.name}, ${since}, ${until}, decode(${bytes}, 'hex'))`,
      );
    }
  }
  await run(
    on,
    sql`insert into expirations as known (website_id, before, until, rollups)
      values (${subject}, ${before}::date, ${begins}::timestamptz, ${ROLLUPS.map(({ name }) => name)}::text[])
      on conflict (website_id) do update set before = excluded.before, until = excluded.until, rollups = array(
        select unnest(known.rollups) intersect select unnest(excluded.rollups)
      )`,
  );
}
