import { setTimeout } from 'node:timers/promises';
import { Semaphore } from './semaphore';

describe('a semaphore', () => {
  it('lets no more work run at once than it has room for, in order, also when some of it fails', async () => {
    const semaphore = new Semaphore(2);
    const began: number[] = [];
    let running = 0;
    let most = 0;
    const work = (each: number) => async () => {
      began.push(each);
      most = Math.max(most, ++running);
      await setTimeout(1);
      running--;
      if (each % 3 === 0) throw new RangeError(`${each} failed`);
      return each;
    };
    const results = await Promise.allSettled(Array.from({ length: 10 }, (_, each) => semaphore.run(work(each))));
    expect(most).toBe(2);
    expect(began).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(6);
  });
});
