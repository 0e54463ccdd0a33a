import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { BoundGroup } from './bound-group';
import { reviseVersions } from './parked-events';

/**
 * Leaves events of one group and store out for good, in every version: a rebuild equals the live tables without them.
 * Events that only wait behind others are not taken; returns how many were.
 */
export async function acceptParked({ pool, name }: BoundGroup, numbers: readonly number[]): Promise<number> {
  const accepted = await run<{ partition: number }>(
    pool,
    sql`update parked_events set accepted_at = clock_timestamp()
        where number = any(${numbers}::bigint[]) and projection_group = ${name} and error is not null and accepted_at is null
        returning partition`,
  );
  await reviseVersions(
    pool,
    name,
    accepted.map(({ partition }) => partition),
  );
  return accepted.length;
}
