import { Poll, SilenceWatch } from './poll';

/** A clock that stands still between two steps of a test. */
class Clock {
  ms = 0;
  readonly now = () => this.ms;
}

/** Something to ask that answers, or fails, when a test says so. */
class Asked {
  settle: (failure?: Error) => void = () => undefined;
  readonly ask = () =>
    new Promise<string>((resolve, reject) => {
      this.settle = (failure) => (failure ? reject(failure) : resolve('there'));
    });
}

const newPoll = () => {
  const clock = new Clock();
  const asked = new Asked();
  return { clock, asked, poll: new Poll(asked.ask, clock.now) };
};

/** Lets what was settled be noticed. */
const noticed = () => new Promise(setImmediate);

describe('a poll', () => {
  it('is never overdue over a hundred answers that take 2.5 s each', async () => {
    const { clock, asked, poll } = newPoll();
    const seen = new Set<unknown>();
    const look = () => seen.add(`${poll.isOverdue} ${poll.failure !== undefined}`);
    for (let tries = 0; tries < 100; tries++) {
      const trying = poll.once();
      await noticed();
      for (let waited = 0; waited < 2_500; waited += 500) {
        look();
        clock.ms += 500;
      }
      asked.settle();
      await trying;
      look();
      clock.ms += 2_000;
    }
    expect([...seen]).toEqual(['false false']);
  });

  it('is overdue ten seconds after its last answer, which it keeps with its age', async () => {
    const { clock, asked, poll } = newPoll();
    const first = poll.once();
    await noticed();
    asked.settle();
    await first;
    void poll.once();
    clock.ms += 10_000;
    expect([poll.isOverdue, poll.ageMs]).toEqual([false, 10_000]);
    clock.ms += 1;
    expect([poll.isOverdue, poll.answer?.value]).toEqual([true, 'there']);
  });

  it('has failed when its last try did, until one is answered, and asks again only then', async () => {
    const { asked, poll } = newPoll();
    const tries = [poll.once(), poll.once()];
    await noticed();
    asked.settle(new Error('away'));
    await tries[0];
    expect(poll.failure?.error).toEqual(new Error('away'));
    await noticed();
    asked.settle();
    await tries[1];
    expect([poll.failure, poll.answer?.value]).toEqual([undefined, 'there']);
  });
});

describe('what waits for a database', () => {
  it('is ended at the sixth tick without an answer, and at each one after that, failed tries included', async () => {
    const { asked, poll } = newPoll();
    const watch = new SilenceWatch(poll);
    void poll.once();
    await noticed();
    const ended: string[] = [];
    const wait = (name: string) =>
      void watch.whileAnswering(() => new Promise(() => undefined)).catch(() => ended.push(name));
    const tickThen = async (ticks: number) => {
      for (let tick = 0; tick < ticks; tick++) watch.tick();
      await noticed();
      return [...ended];
    };
    wait('first');
    expect([await tickThen(5), await tickThen(1)]).toEqual([[], ['first']]);
    asked.settle(new Error('no answer'));
    wait('second');
    expect(await tickThen(1)).toEqual(['first', 'second']);
  });

  it('is never ended while each poll is answered after 2.5 s, whatever passes between two of them', async () => {
    const { asked, poll } = newPoll();
    const watch = new SilenceWatch(poll);
    const waiting = watch.whileAnswering(() => new Promise((resolve) => setTimeout(resolve, 60_000).unref()));
    const ended: unknown[] = [];
    waiting.catch((error: unknown) => ended.push(error));
    for (let tries = 0; tries < 100; tries++) {
      const trying = poll.once();
      await noticed();
      for (let tick = 0; tick < 5; tick++) watch.tick();
      asked.settle();
      await trying;
      for (let tick = 0; tick < 4; tick++) watch.tick();
    }
    await noticed();
    expect(ended).toEqual([]);
  });

  it('has its result, also while the database is silent', async () => {
    const watch = new SilenceWatch({ answer: undefined, failure: undefined, isWaiting: true });
    for (let tick = 0; tick < 10; tick++) watch.tick();
    expect(await watch.whileAnswering(() => Promise.resolve('known'))).toBe('known');
  });
});
