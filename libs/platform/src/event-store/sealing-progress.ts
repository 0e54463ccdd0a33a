import { randomUUID } from 'node:crypto';
import { orUnavailable } from '../database/database-errors';
import { type Queryable, run } from '../database/pool';
import { sql } from '../database/sql';
import type { Cursor } from '../log/log-reader';

const TABLE = 'The table of how far events are sealed';
/** At most so often it is written, ms. */
const WRITE_MS = 2_000;
/** After that long without a sign of life another process writes it, ms. */
const SEEN_WITHIN_MS = 10_000;

/** Tracks how far this process has sealed an EventStoreDB; of several, one writes it. */
export class SealingProgress {
  private readonly sealer = randomUUID();
  private writtenAt = -Infinity;

  constructor(private readonly database: Queryable) {}

  /** All events up to here are sealed, or need no seal. @throws LogUnavailable */
  async note(passed: Cursor): Promise<void> {
    const now = performance.now();
    if (now - this.writtenAt < WRITE_MS) return;
    await orUnavailable(TABLE, () =>
      run(
        this.database,
        sql`
          insert into sealing_progress as known (sealer, passed) values (${this.sealer}, ${passed})
          on conflict (only_row) do update
            set sealer = excluded.sealer, passed = excluded.passed, seen_at = excluded.seen_at
            where known.sealer = excluded.sealer
              or known.seen_at < excluded.seen_at - make_interval(secs => ${SEEN_WITHIN_MS / 1_000})`,
      ),
    );
    this.writtenAt = now;
  }
}

export interface SealingState {
  readonly passed: Cursor;
  /** Since a sealer was seen, ms. */
  readonly silentMs: number;
}

/** Undefined where none was ever seen. @throws LogUnavailable */
export async function readSealingProgress(database: Queryable): Promise<SealingState | undefined> {
  const statement = sql`
    select passed, extract(epoch from clock_timestamp() - seen_at)::float8 * 1000 as "silentMs" from sealing_progress`;
  const [row] = await orUnavailable(TABLE, () => run<SealingState>(database, statement));
  return row;
}
