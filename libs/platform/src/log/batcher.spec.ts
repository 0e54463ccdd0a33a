import { Batcher } from './batcher';

const turns = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
};

class Outage extends Error {}

describe('a batcher', () => {
  const batches: number[][] = [];
  let outage = false;
  /** Doubles numbers; a negative one fails its batch. */
  const double = (items: readonly number[]): Promise<number[]> => {
    batches.push([...items]);
    if (outage) return Promise.reject(new Outage('down'));
    if (items.some((item) => item < 0)) return Promise.reject(new RangeError('negative'));
    return Promise.resolve(items.map((item) => item * 2));
  };
  const statuses = async (submitted: readonly Promise<number>[]) =>
    (await Promise.allSettled(submitted)).map(({ status }) => status);

  beforeEach(() => {
    batches.length = 0;
    outage = false;
  });

  it.each([0, 1])(
    'flushes together what was submitted together, in order, up to its limit (linger %i ms)',
    async (ms) => {
      const batcher = new Batcher(double, { maxBatch: 3, lingerMs: ms });
      expect(await Promise.all([1, 2, 3, 4, 5].map((item) => batcher.submit(item)))).toEqual([2, 4, 6, 8, 10]);
      expect(batches).toEqual([
        [1, 2, 3],
        [4, 5],
      ]);
    },
  );

  it.each([
    [10_000, 3],
    [20, 8],
    [() => 20, 8],
  ])('flushes at once when idle, and gathers for %p ms or up to a size of %i after a flush', async (lingerMs, upTo) => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const slow = (items: readonly number[]) => (batches.length === 0 ? held.then(() => double(items)) : double(items));
    const batcher = new Batcher(slow, { maxBatch: 8, lingerMs, lingerUpTo: upTo });
    const submitted = [batcher.submit(1)];
    await turns();
    submitted.push(batcher.submit(2));
    release();
    await submitted[0];
    await turns();
    expect(batches).toEqual([[1]]);
    submitted.push(batcher.submit(3), batcher.submit(4));
    expect(await Promise.all(submitted)).toEqual([2, 4, 6, 8]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
  });

  it('never splits an item, however large', async () => {
    const batcher = new Batcher(double, { maxBatch: 10, sizeOf: (item) => item });
    await Promise.all([4, 6, 50, 1].map((item) => batcher.submit(item)));
    expect(batches).toEqual([[4, 6], [50], [1]]);
  });

  it('lets a bad item fail alone where its error isolates', async () => {
    const batcher = new Batcher(double, { maxBatch: 10, isolates: (error) => error instanceof RangeError });
    expect(await statuses([1, -1, 2].map((item) => batcher.submit(item)))).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(batches).toEqual([[1, -1, 2], [1, -1], [1], [-1], [2]]);
  });

  it('finds bad items by halves, in order, before it goes on with what was submitted later', async () => {
    const batcher = new Batcher(double, { maxBatch: 8, isolates: (error) => error instanceof RangeError });
    const outcomes = await statuses([1, 2, 3, 4, 5, -6, 7, 8, 9].map((item) => batcher.submit(item)));
    expect(outcomes.map((status) => status === 'rejected')).toEqual([
      ...Array<boolean>(5).fill(false),
      true,
      false,
      false,
      false,
    ]);
    expect(batches).toEqual([[1, 2, 3, 4, 5, -6, 7, 8], [1, 2, 3, 4], [5, -6, 7, 8], [5, -6], [5], [-6], [7, 8], [9]]);
  });

  it('fails the other parts of a batch, too, where an error fails the queue', async () => {
    const down = (items: readonly number[]) => {
      if (batches.length === 1) outage = true;
      return double(items);
    };
    const batcher = new Batcher(down, {
      maxBatch: 3,
      isolates: (error) => error instanceof RangeError,
      failsQueue: (error) => error instanceof Outage,
    });
    expect(await statuses([1, -1, 2, 3].map((item) => batcher.submit(item)))).toEqual(Array(4).fill('rejected'));
    expect(batches).toEqual([
      [1, -1, 2],
      [1, -1],
    ]);
  });

  it('fails a whole batch and nothing else, and goes on', async () => {
    const batcher = new Batcher(double, { maxBatch: 2 });
    expect(await statuses([1, -1, 2].map((item) => batcher.submit(item)))).toEqual([
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    await batcher.idle();
    expect(await batcher.submit(1)).toBe(2);
  });

  it('fails everything queued with a batch where its error does that', async () => {
    const batcher = new Batcher(double, { maxBatch: 1, failsQueue: (error) => error instanceof Outage });
    outage = true;
    expect(await statuses([1, 2, 3].map((item) => batcher.submit(item)))).toEqual(['rejected', 'rejected', 'rejected']);
    expect(batches).toEqual([[1]]);
    outage = false;
    expect(await batcher.submit(1)).toBe(2);
  });

  it('fails a batch whose results do not match its items', async () => {
    const batcher = new Batcher<number, number>(() => Promise.resolve([]), { maxBatch: 1 });
    await expect(batcher.submit(1)).rejects.toThrow('one result per item');
  });
});
