import { setTimeout } from 'node:timers/promises';
import type { Group } from '@ledgerline/contracts/read-models/groups';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { invalid } from '../../http/problems';

/** What a write's X-Log-Position holds: the end of each log at that time. */
export interface LogPosition {
  /** In the event store. */
  readonly decided?: Cursor;
  /** Offsets in the intake log by partition. */
  readonly observed: ReadonlyMap<number, number>;
}

export const MAX_WAIT_MS = 2_000;
export const NOT_REACHED = 'X-Min-Position was not reached within 2 s; the newest writes may be missing.';
const POLL_MS = 20;

/** @throws Problem VALIDATION_ERROR for what is no X-Log-Position */
export function readPosition(text: string | undefined): LogPosition {
  let decided: Cursor | undefined;
  const observed = new Map<number, number>();
  for (const part of text?.split(',').map((piece) => piece.trim()) ?? []) {
    const [, partition, offset] = /^i(\d{1,4}):(\d{1,15})$/.exec(part) ?? [];
    if (partition !== undefined) observed.set(Number(partition), Number(offset));
    else if (/^e:[\w./-]{1,200}$/.test(part)) decided = part.slice(2);
    else throw invalid([{ field: 'X-Min-Position', message: 'Must be an X-Log-Position of this service.' }]);
  }
  return decided === undefined ? { observed } : { decided, observed };
}

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
