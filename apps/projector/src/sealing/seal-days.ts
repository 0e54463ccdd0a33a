import type { GroupSchema } from '@ledgerline/contracts/read-models/groups';
import { sessionDayStates, sessionDays } from '@ledgerline/contracts/read-models/session-days';
import { isCanceled, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';
import { sealDay, type SealableDay, type Sealed } from './seal-day';

export interface SealingPass {
  readonly pool: Pool;
  /** Of a version whose tables this program writes. */
  readonly schema: string;
  /** Only days without a change for so long are sealed, ms. */
  readonly quietMs: number;
  readonly signal?: AbortSignal;
  /** Called after each day. */
  readonly onDay?: (result: Sealed | 'failed', durationMs: number) => void;
}

interface SealingResult {
  readonly sealed: number;
  /** Days that a batch changed while they were read. */
  readonly changed: number;
  readonly failed: number;
  /** Of the first day that failed. */
  readonly error: unknown;
}

/** Whether a group has days to seal. */
export const hasSealedDays = ({ builds }: Pick<GroupSchema, 'builds'>): boolean => builds.includes(sessionDays);

const DAY_MS = 86_400_000;

/**
 * Seals all days of a version that are over (in UTC) and quiet, the latest first. A day that fails does not keep others
 * from being sealed.
 * @throws when the database is unavailable
 */
export async function sealDays({ pool, schema, quietMs, signal, onDay }: SealingPass): Promise<SealingResult> {
  const count = { sealed: 0, changed: 0, taken: 0, failed: 0 };
  let error: unknown;
  for await (const of of daysToSeal(pool, schema, quietMs)) {
    if (signal?.aborted) break;
    const begunAt = performance.now();
    const result = await sealDay(pool, of).catch((failure: unknown) => {
      if (isUnavailable(failure) && !isCanceled(failure)) throw failure;
      error ??= failure;
      return 'failed' as const;
    });
    count[result]++;
    onDay?.(result, performance.now() - begunAt);
  }
  return { ...count, error };
}

/** Seals all days that are over, quiet or not, so that no question becomes slower by a switch. @throws if one fails */
export async function sealAll(pool: Pool, schema: string): Promise<void> {
  const { failed, error } = await sealDays({ pool, schema, quietMs: 0 });
  if (failed > 0) throw new Error(`${failed} days of sessions could not be sealed`, { cause: error });
}

const PAGE = 1_000;

async function* daysToSeal(on: Queryable, schema: string, quietMs: number): AsyncIterable<SealableDay> {
  const [today, quietSince] = [Math.floor(Date.now() / DAY_MS), new Date(Date.now() - quietMs)];
  const table = identifier(schema, sessionDayStates.name);
  let last: Omit<SealableDay, 'schema'> | undefined = { day: today, website: 0 };
  while (last) {
    const page: SealableDay[] = await run<SealableDay>(
      on,
      sql`select ${schema}::text as schema, website, day - '1970-01-01'::date as day from ${table}
        where not is_sealed and (day, website) < ('1970-01-01'::date + ${last.day}::integer, ${last.website}::integer)
          and changed_at <= ${quietSince}
        order by day desc, website desc limit ${PAGE}`,
    );
    yield* page;
    last = page.length < PAGE ? undefined : page.at(-1);
  }
}

export interface DayCounts {
  readonly sealed: number;
  readonly open: number;
  /** How long the oldest open day has been over, ms. */
  readonly oldestOverMs: number;
}

export async function countDays(on: Queryable, schema: string): Promise<DayCounts> {
  const [row] = await run<{ sealed: number; open: number; oldest: number | null }>(
    on,
    sql`select count(*) filter (where is_sealed)::integer as sealed, count(*) filter (where not is_sealed)::integer as open,
        min(day) filter (where not is_sealed) - '1970-01-01'::date as oldest
      from ${identifier(schema, sessionDayStates.name)}`,
  );
  const { sealed = 0, open = 0, oldest = null } = row ?? {};
  const overSince = oldest === null ? Infinity : (oldest + 1) * DAY_MS;
  return { sealed, open, oldestOverMs: Math.max(0, Date.now() - overSince) };
}
