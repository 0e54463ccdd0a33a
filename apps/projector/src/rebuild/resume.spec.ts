import type { ReadOptions } from '@ledgerline/platform/log/log-reader';
import { linkClick } from '@test/events/observed-events';
import { createTestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { bind } from '../runner/bound-group';
import { openLiveVersion } from '../versions/live-version';
import { rebuild } from './rebuild';

describe('a rebuild that was ended', () => {
  it('goes on with its version where it was, also after a start of the projector', async () => {
    const database = await createTestDatabase();
    const pool = openProjectionPool(database.url);
    const log = new ReadLog(Array.from({ length: 400 }, (_, n) => linkClick('some_1', n * 60)));
    const group = bind(linksGroup(), log, pool);
    await openLiveVersion(pool, group, log);
    const live = group.runner({ partition: 0, batch: 1_000, version: 1 });
    await waitUntil(
      () => live.step(),
      (step) => step !== 'moved',
    );
    let left = 6;
    const onProgress = () => {
      if (left-- === 0) throw new Error('ended');
    };
    log.reads.length = 0;
    await expect(rebuild({ group, flip: true, batch: 20, onProgress })).rejects.toThrow('ended');
    const [first, ...earlier] = log.reads.splice(0);
    expect(first).toBe('');
    expect(earlier.length).toBeGreaterThan(4);

    await openLiveVersion(pool, group, log);
    const result = await rebuild({ group, flip: true, batch: 20 });
    expect(result).toMatchObject({ version: 2, differences: [], flipped: true });
    expect(log.reads).not.toContain('');
    expect(log.reads.filter((after) => earlier.slice(0, -2).includes(after))).toEqual([]); // the last two were read ahead
    await pool.end();
    await database.drop();
  });
});

/** Notes where it was read from. */
class ReadLog extends MemoryLog {
  readonly reads: string[] = [];

  override read(partition: number, after: string, options: ReadOptions) {
    this.reads.push(after);
    return super.read(partition, after, options);
  }
}
