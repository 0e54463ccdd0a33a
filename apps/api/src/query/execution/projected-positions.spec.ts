import type { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { WHOLE } from '@ledgerline/platform/read-stores/read-store';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import type { Pool } from 'pg';
import { ProjectedPositions } from './projected-positions';
import { waitUntil } from '@test/wait-until';

describe('waiting for positions', () => {
  it('is one poll for all who wait, and none when nobody does', async () => {
    const { positions, reads, put } = projected();
    put('websites', 1, '4');
    const waiting = Array.from({ length: 50 }, () => positions.include(at(1, 5), 'websites', ID[1]));
    await waitUntil(reads, (count) => count >= 3);
    put('websites', 1, '5');
    expect(await Promise.all(waiting)).toEqual(Array(50).fill(true));
    const before = reads();
    expect(before).toBeLessThan(50);
    expect(await positions.include({ observed: new Map(), until: 0 }, 'websites', ID[0])).toBe(true);
    expect(reads()).toBe(before);
  });

  it('is over at once where the position is included, for each group by itself', async () => {
    const { positions, put } = projected();
    put('links', 0, '9');
    expect(await positions.include(at(0, 9), 'links', ID[0])).toBe(true);
    expect(await positions.include(at(0, 9), 'websites', ID[0])).toBe(false);
  });

  it('is not for what another website was sent', async () => {
    const { positions, reads } = projected();
    expect(await positions.include(at(1, 9), 'websites', ID[0])).toBe(true);
    expect(reads()).toBe(0);
  });

  it('looks once when its time is over', async () => {
    const { positions, reads, put } = projected();
    put('links', 0, '9');
    expect(await positions.include(at(0, 9, 0), 'links', ID[0])).toBe(true);
    expect(await positions.include(at(0, 10, 0), 'links', ID[0])).toBe(false);
    expect(reads()).toBe(2);
  });

  it('fails when the checkpoints cannot be read, and works again afterwards', async () => {
    const { positions, put, fail } = projected();
    put('links', 0, '9');
    fail(new Error('away'));
    await expect(positions.include(at(0, 9), 'links', ID[0])).rejects.toThrow('away');
    fail(undefined);
    expect(await positions.include(at(0, 9), 'links', ID[0])).toBe(true);
  });
});

/** By the partition they are in, of two. */
const ID = ['link_3', 'link_1'] as const;

const at = (partition: number, offset: number, until = performance.now() + 2_000) => ({
  observed: new Map([[partition, offset]]),
  until,
});

/** Checkpoints in memory instead of in Postgres. */
function projected() {
  const rows = new Map<string, object>();
  let [reads, failure]: [number, Error | undefined] = [0, undefined];
  const query = (text: string) => {
    if (text.includes('intake_log')) return Promise.resolve({ rows: [{ partitions: 2 }] });
    reads++;
    return failure ? Promise.reject(failure) : Promise.resolve({ rows: [...rows.values()] });
  };
  const pool = { query } as unknown as Pool; // nothing else of it is called
  const stores = new ReadStores([{ ...WHOLE, pool, questions: pool }], pool);
  const positions = new ProjectedPositions(stores, {} as LiveRegistry, pool);
  return {
    positions,
    reads: () => reads,
    put: (group: string, partition: number, cursor: string) =>
      void rows.set(`${group} ${partition}`, { group, partition, cursor }),
    fail: (error: Error | undefined) => void (failure = error),
  };
}
