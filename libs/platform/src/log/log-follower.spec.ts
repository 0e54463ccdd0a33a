import { setImmediate } from 'node:timers/promises';
import { LogFollower } from './log-follower';
import { EpochChanged, LogUnavailable, type LogBatch, type LogReader } from './log-reader';

/** A log of numbers; each read answers, or throws, what comes next in the script. */
const logOf = (script: (LogBatch<number> | Error)[], onWait: () => void = () => undefined): LogReader<number> => ({
  epoch: () => Promise.resolve('epoch'),
  partitions: () => Promise.resolve(1),
  head: () => Promise.resolve(''),
  read: (_, after) => {
    const next = script.shift() ?? { events: [], next: after, atHead: true };
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  },
  waitForMore: (_, __, { signal }) => {
    onWait();
    return new Promise((resolve) =>
      script.length > 0 ? resolve() : signal?.addEventListener('abort', () => resolve()),
    );
  },
  compare: (a, b) => Number(a) - Number(b),
});

describe('a log follower', () => {
  it('keeps its pace at the head of the log, until somebody waits for what comes', async () => {
    const stop = new AbortController();
    const seen: number[] = [];
    const script: LogBatch<number>[] = [{ events: [1], next: '1', atHead: true }];
    const more = [{ events: [2], next: '2', atHead: true }];
    const follower = new LogFollower(
      logOf(script, () => script.push(...more.splice(0))),
      { signal: stop.signal, paceMs: 60_000, onBatch: ({ events }) => void seen.push(...events) },
    );
    await follower.caughtUp;
    for (let turns = 0; turns < 10; turns++) await setImmediate();
    expect([seen, script.length]).toEqual([[1], 1]);
    expect(await follower.hasReached('2', 5_000)).toBe(true);
    expect(seen).toEqual([1, 2]);
    stop.abort();
    await follower.ended;
  });

  it('applies batch after batch, retries after outages, and reports its position', async () => {
    const stop = new AbortController();
    const seen: number[] = [];
    const outages: string[] = [];
    const follower = new LogFollower(
      logOf([
        { events: [1, 2], next: '2', atHead: false },
        new LogUnavailable('down'),
        { events: [], next: '5', atHead: false },
        { events: [6], next: '6', atHead: true },
      ]),
      {
        signal: stop.signal,
        onBatch: ({ events }) => void seen.push(...events),
        onError: ({ message }) => void outages.push(message),
      },
    );
    await follower.caughtUp;
    expect(seen).toEqual([1, 2, 6]);
    expect(outages).toEqual(['down']);
    expect(follower.cursor).toBe('6');
    expect(await follower.hasReached('6', 0)).toBe(true);
    expect(await follower.hasReached('7', 1)).toBe(false);
    stop.abort();
    await follower.ended;
  });

  it('resolves a wait for a cursor as soon as it is applied', async () => {
    const stop = new AbortController();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const follower = new LogFollower(logOf([{ events: [1], next: '1', atHead: true }]), {
      signal: stop.signal,
      onBatch: () => held,
    });
    const reached = follower.hasReached('1', 20_000);
    release();
    expect(await reached).toBe(true);
    stop.abort();
    await follower.ended;
  });

  it.each([new EpochChanged('restored'), new Error('a bug')])('ends with %s', async (error) => {
    const follower = new LogFollower(logOf([error]), { onBatch: () => undefined });
    await expect(follower.ended).rejects.toBe(error);
    await expect(follower.caughtUp).rejects.toBe(error);
  });

  it('ends when a batch cannot be applied, before that batch', async () => {
    const follower = new LogFollower(logOf([{ events: [1], next: '1', atHead: true }]), {
      onBatch: () => Promise.reject(new Error('cannot')),
    });
    await expect(follower.ended).rejects.toThrow('cannot');
    expect(follower.cursor).toBe('');
  });
});
