import { setTimeout } from 'node:timers/promises';
import { Semaphore } from '@ledgerline/platform/database/semaphore';
import { FairSemaphore } from './semaphore';

describe('a fair semaphore', () => {
  it('runs so much at once, and of one caller less', async () => {
    const { started, ask } = semaphore({ atOnce: 3, ofOneCaller: 2 });
    ask('a1', 'a2', 'a3', 'b1', 'b2');
    await settled();
    expect(started).toEqual(['a1', 'a2', 'b1']);
  });

  it('lets callers take turns, however much one of them has waiting', async () => {
    const { started, ask, end } = semaphore({ atOnce: 1, ofOneCaller: 1 });
    ask('a1', 'a2', 'a3', 'b1', 'c1', 'b2');
    for (const name of ['a1', 'b1', 'c1', 'a2', 'b2']) await end(name);
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('gives the place of failed work to the next', async () => {
    const turns = new FairSemaphore({ atOnce: 1, ofOneCaller: 1, waiting: 9 });
    const failing = turns.run('a', SIGNAL, () => Promise.reject(new Error('broken')));
    const next = turns.run('a', SIGNAL, () => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });

  it('forgets work whose client went away while it waited', async () => {
    const { started, ask, end, semaphore: turns } = semaphore({ atOnce: 1, ofOneCaller: 1 });
    ask('a1');
    const client = new AbortController();
    const gone = turns.run('a', client.signal, () => Promise.reject(new Error('it must not run')));
    ask('a2');
    client.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    await end('a1');
    expect(started).toEqual(['a1', 'a2']);
  });

  it('never runs work whose client went away before', async () => {
    const { semaphore: turns } = semaphore({ atOnce: 1, ofOneCaller: 1 });
    const gone = turns.run('a', AbortSignal.abort(new Error('gone')), () => Promise.resolve('it ran'));
    await expect(gone).rejects.toThrow('gone');
    expect(turns.busyCallers).toBe(0);
  });

  it('keeps nothing of callers without work: done, failed, refused or gone', async () => {
    const { ask, end, semaphore: turns } = semaphore({ atOnce: 1, ofOneCaller: 1 });
    ask('a1', 'a2', 'a3', 'b1', 'b2');
    const client = new AbortController();
    const gone = turns.run('c', client.signal, () => Promise.reject(new Error('it must not run')));
    await expect(turns.run('d', SIGNAL, () => Promise.resolve())).rejects.toThrow('Too many');
    client.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    expect(turns.busyCallers).toBe(2);
    for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) await end(name);
    expect(turns.busyCallers).toBe(0);
    await expect(turns.run('e', SIGNAL, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(turns.busyCallers).toBe(0);
  });

  it('refuses what would have to wait behind too much', async () => {
    const { ask, semaphore: turns } = semaphore({ atOnce: 1, ofOneCaller: 1 });
    ask('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    await expect(turns.run('d', SIGNAL, () => Promise.resolve())).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });
});

const SIGNAL = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work named by its caller's letter and a number; five pieces may wait. */
function semaphore(bounds: { atOnce: number; ofOneCaller: number }) {
  const turns = new FairSemaphore({ ...bounds, waiting: 5 });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (...names: string[]) => {
    for (const name of names) {
      const work = () => {
        started.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      };
      turns.run(name.slice(0, 1), SIGNAL, work).catch(() => undefined);
    }
  };
  const end = async (name: string) => {
    await settled();
    ends.get(name)?.();
    await settled();
  };
  return { semaphore: turns, started, ask, end };
}

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
