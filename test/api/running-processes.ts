import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';

/** Rows as of a tracker and a projector whose heartbeats do not end, for an api that runs alone. */
export const addRunningProcesses = (database: Queryable) =>
  run(
    database,
    sql`insert into processes (id, app, host, pid, started_at, beat_at, stores)
        select gen_random_uuid(), app, 'elsewhere', 7, now(), now() + interval '1 day', '[]'
        from unnest(array['tracker', 'projector']) app`,
  );
