import { isMissingTable } from '../database/database-errors';
import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import type { Share } from './read-store';

/** How the tables of a partition compare with its log. */
export interface Reconciliation {
  readonly group: string;
  readonly partition: number;
  /** When the last complete comparison ended; null = there was none. */
  readonly checkedAt: Date | null;
  /** How long ago it began; before the first one, for how long there has been none. */
  readonly agoMs: number;
  /** Days of subjects in which a table differs, once for each table, that are not repaired. */
  readonly findings: number;
  /** One of them. */
  readonly example: {
    readonly table: string;
    readonly subject: string;
    readonly day: string;
    readonly since: Date;
  } | null;
}

/** Of the partitions that a read store serves; none while it is empty. */
export async function readReconciliations(on: Queryable, { place, stores }: Share): Promise<Reconciliation[]> {
  try {
    return await run<Reconciliation>(
      on,
      sql`select r.projection_group as group, r.partition, r.checked_at as "checkedAt",
          (greatest(0, extract(epoch from clock_timestamp() - r.checked_since)) * 1000)::float8 as "agoMs",
          count(f.subject)::integer as findings,
          (array_agg(json_build_object('table', f.table_name, 'subject', f.subject, 'day', f.day, 'since', f.found_at)
            order by f.found_at, f.table_name) filter (where f.subject is not null))[1] as example
        from reconciliations r left join reconciliation_findings f
          on f.projection_group = r.projection_group and f.partition = r.partition and f.repaired_at is null
        where r.partition % ${stores} = ${place - 1} group by r.projection_group, r.partition order by 1, 2`,
    );
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}
