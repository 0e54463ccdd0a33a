import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';

/** Monitors whose check is long past. */
export interface OverdueMonitors {
  readonly monitors: number;
  /** When the check was due that is longest past; null = none is overdue. */
  readonly since: Date | null;
}

/** How long after its time, and after the process that took it last should have ended it, a check is overdue. */
const LATE = '8 seconds';
/** Longer than a check can take that is made: one that is taken again and again is overdue, too. */
const TOO_LATE = '90 seconds';

export async function readOverdueMonitors(main: Queryable): Promise<OverdueMonitors> {
  const [row] = await run<OverdueMonitors & Record<string, unknown>>(
    main,
    sql`select count(*)::integer as monitors, min(due_at) as since from monitor_schedule
        where due_at < now() - ${TOO_LATE}::interval
          or due_at < now() - ${LATE}::interval and coalesce(claimed_until, due_at) < now() - ${LATE}::interval`,
  );
  return row ?? { monitors: 0, since: null };
}
