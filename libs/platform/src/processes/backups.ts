import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import { type Queryable, run } from '../database/pool';
import { sql } from '../database/sql';
import type { Metrics } from '../metrics/metrics';

/** ISO 8601. */
export interface LastBackup {
  readonly at: string;
  /** The time of the newest backup that was verified; null = none was. */
  readonly verifiedAt: string | null;
}

/** Undefined = none was made. */
export async function readLastBackup(on: Queryable): Promise<LastBackup | undefined> {
  const [row] = await run<{ at: Date | null; verifiedAt: Date | null }>(
    on,
    sql`select max(at) as at, max(verified_at) as "verifiedAt" from backups`,
  );
  return row?.at ? { at: row.at.toISOString(), verifiedAt: row.verifiedAt?.toISOString() ?? null } : undefined;
}

/** Observes how old the last backup is, and the last one that was verified; without a value where there is none. */
export function observeBackups(metrics: Metrics, main: Pool): void {
  const age = new Gauge({
    name: 'ledgerline_backup_age_seconds',
    help: 'How long ago the last backup was made, and the last one verified',
    labelNames: ['of'],
    registers: [metrics.registry],
  });
  metrics.beforeReading(async () => {
    age.reset();
    const last = await readLastBackup(main);
    for (const [of, at] of [['made', last?.at] as const, ['verified', last?.verifiedAt] as const])
      if (at) age.set({ of }, (Date.now() - Date.parse(at)) / 1_000);
  });
}
