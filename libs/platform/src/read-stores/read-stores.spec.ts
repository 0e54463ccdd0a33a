import type { Pool } from 'pg';
import { partitionOf } from '../intake-log/intake-log';
import { ReadStores } from './read-stores';

const PARTITIONS = 4;

describe('read stores', () => {
  it('have links together that are in partitions of one of them', async () => {
    const [first = '', second = ''] = ids(0);
    const [third = ''] = ids(2);
    const found = await stores.locateTogether([first, second, third]);
    expect([found?.store.place, found?.partitions]).toEqual([1, [0, 2]]);
  });

  it('do not have links together that are in several of them', async () => {
    expect(await stores.locateTogether([...ids(0).slice(0, 1), ...ids(1).slice(0, 1)])).toBeUndefined();
  });
});

/** Ids of links in a partition. */
const ids = (partition: number): string[] =>
  Array.from({ length: 50 }, (_, n) => `link_${n}`).filter((id) => partitionOf(id, PARTITIONS) === partition);

const unused = undefined as unknown as Pool; // nothing is read of a store
const main = { query: () => Promise.resolve({ rows: [{ partitions: PARTITIONS }] }) } as unknown as Pool; // its only statement
const stores = new ReadStores(
  [1, 2].map((place) => ({ place, stores: 2, pool: unused, questions: unused })),
  main,
);
