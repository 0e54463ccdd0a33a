import { GroupCommit } from './group-commit';

const double = (items: readonly number[]): PromiseSettledResult<number>[] =>
  items.map((item) =>
    item < 0 ? { status: 'rejected', reason: new Error('negative') } : { status: 'fulfilled', value: item * 2 },
  );

describe('group commit', () => {
  it('takes together what waits, in order, up to its limit', async () => {
    const groups: (readonly number[])[] = [];
    const commit = new GroupCommit<number, number>((items) => {
      groups.push(items);
      return Promise.resolve(double(items));
    }, 3);
    expect(await Promise.all([1, 2, 3, 4, 5].map((item) => commit.submit(item)))).toEqual([2, 4, 6, 8, 10]);
    expect(groups).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  it('gives every caller its own outcome', async () => {
    const commit = new GroupCommit<number, number>((items) => Promise.resolve(double(items)), 10);
    const outcomes = await Promise.allSettled([1, -1, 2].map((item) => commit.submit(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('goes on after a flush that failed altogether', async () => {
    let broken = true;
    const commit = new GroupCommit<number, number>(
      (items) => (broken ? Promise.reject(new Error('down')) : Promise.resolve(double(items))),
      10,
    );
    await expect(commit.submit(1)).rejects.toThrow('down');
    broken = false;
    expect(await commit.submit(1)).toBe(2);
    await commit.idle();
  });
});
