import type { Pool } from 'pg';
import { sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql, textHash } from '@ledgerline/platform/database/sql';
import { packParts } from '../../apps/projector/src/sealing/pack-parts';
import { sealDay } from '../../apps/projector/src/sealing/seal-days';

const SCHEMA = 'websites_v1';

/** Small, so that days of a few visits have several parts. */
const RULE = { least: 4, largest: 32, ofTier: 2 };

/**
 * Seals open days of a website, as the projector does when they are over, and packs the others. Returns the website's id
 * in the dictionary.
 */
export async function sealDays(pool: Pool, websiteId: string, isSealed: (day: number) => boolean): Promise<number> {
  const [site] = await run<{ id: number }>(
    pool,
    sql`select id from dictionary where hash = ${textHash(websiteId)}::uuid`,
  );
  const website = site?.id ?? -1;
  const days = await run<{ day: number }>(
    pool,
    sql`select day - '1970-01-01'::date as day from ${identifier(SCHEMA, sessionDayStates.name)}
      where website = ${website} and not is_sealed`,
  );
  for (const { day } of days.filter((each) => isSealed(each.day))) {
    expect(await sealDay(pool, { schema: SCHEMA, website, day })).toBe('sealed');
  }
  const { failed, error } = await packParts({ pool, schema: SCHEMA, rule: RULE, since: 0 });
  if (failed > 0) throw error;
  return website;
}
