import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { type IntakeLog, offsetOf, readHeads } from '@ledgerline/platform/intake-log/intake-log';

/** Positions of the live versions of the groups that read the intake log. */
interface Standing {
  readonly group: string;
  readonly version: number;
  readonly partition: number;
  readonly cursor: string;
  readonly events: number;
  readonly stopped: string | null;
  /** True if tables of the group are filled beside those that answer. */
  readonly filling: boolean;
}

const GROUPS = ['websites', 'links'];
const LOOK_EVERY_MS = 20;

export async function standings(pool: Pool): Promise<readonly Standing[]> {
  const rows = await run<Omit<Standing, 'events'> & { events: string }>(
    pool,
    sql`select projection_group as group, version, partition, cursor, events, stopped,
          jsonb_path_exists(tables, '$.*.pending') as filling
        from projection_checkpoints join projection_groups on name = projection_group and live_version = version
        where projection_group = any(${GROUPS})`,
  );
  return rows.map((row) => ({ ...row, events: Number(row.events) }));
}

/** Waits until every partition's newest event is in the read models, and all of these answer; returns the measurements. */
export async function catchUp(
  log: IntakeLog,
  databaseUrl: string,
  onLook: (events: number) => void = () => undefined,
): Promise<{ events: number; seconds: number }> {
  const pool = openPool({ url: databaseUrl, name: 'bench-watch', max: 1 });
  try {
    const heads = await Promise.all(Array.from({ length: await log.partitions() }, (_, at) => log.head(at)));
    const before = total(await standings(pool));
    let startedAt: number | undefined;
    for (;;) {
      const now = await standings(pool);
      refuseStopped(now);
      if (startedAt === undefined && total(now) > before) startedAt = performance.now();
      onLook(total(now) - before);
      if (
        GROUPS.every((group) =>
          isThere(
            log,
            heads,
            now.filter((each) => each.group === group),
          ),
        )
      ) {
        return { events: total(now) - before, seconds: (performance.now() - (startedAt ?? performance.now())) / 1000 };
      }
      await sleep(LOOK_EVERY_MS);
    }
  } finally {
    await pool.end();
  }
}

/** Events are counted once: by the group that reads all of them. */
const total = (all: readonly Standing[]): number =>
  Math.max(...GROUPS.map((name) => all.reduce((sum, { group, events }) => sum + (group === name ? events : 0), 0)));

function isThere(log: IntakeLog, heads: readonly string[], group: readonly Standing[]): boolean {
  return heads.every((head, at) => {
    const { cursor = '', filling = false } = group.find(({ partition }) => partition === at) ?? {};
    return !filling && (head === '' || log.compare(cursor, head) >= 0);
  });
}

function refuseStopped(all: readonly Standing[]): void {
  const stopped = all.find((each) => each.stopped !== null);
  if (stopped) throw new Error(`The projections of ${stopped.group} stopped: ${stopped.stopped ?? ''}`);
}

/** Returns the number of events the intake log holds. */
export async function storedEvents(databaseUrl: string): Promise<number> {
  const pool = openPool({ url: databaseUrl, name: 'bench-count', max: 1 });
  try {
    const heads = await readHeads(pool);
    return [...heads.values()].reduce((events, head) => events + offsetOf(head) + 1, 0);
  } finally {
    await pool.end();
  }
}
