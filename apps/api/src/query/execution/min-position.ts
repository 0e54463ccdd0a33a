import { setTimeout } from 'node:timers/promises';
import type { Group } from '@ledgerline/contracts/read-models/groups';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { MAX_WAIT_MS, type LogPosition } from '../../http/log-position';

export const NOT_REACHED = 'X-Min-Position was not reached within 2 s; the newest writes may be missing.';
const POLL_MS = 20;

/** True as soon as the read models of a group include these offsets, false when that takes too long. */
export async function isProjected({ observed }: LogPosition, on: Queryable, group: Group): Promise<boolean> {
  const until = performance.now() + MAX_WAIT_MS;
  while (!(await includes(observed, on, group))) {
    if (performance.now() + POLL_MS > until) return false;
    await setTimeout(POLL_MS);
  }
  return true;
}

async function includes(observed: LogPosition['observed'], on: Queryable, group: Group): Promise<boolean> {
  if (observed.size === 0) return true;
  const behind = sql`
    select from unnest(${[...observed.keys()]}::int[], ${[...observed.values()]}::bigint[]) as wanted (partition, log_offset)
    where not exists (
      select from projection_groups g join projection_checkpoints c
        on c.projection_group = g.name and c.version = g.live_version
      where g.name = ${group} and c.partition = wanted.partition and nullif(c.cursor, '')::bigint >= wanted.log_offset
    ) limit 1`;
  return (await run(on, behind)).length === 0;
}
