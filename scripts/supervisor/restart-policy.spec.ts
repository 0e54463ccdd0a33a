import { DEFAULT_POLICY, nextStart, type Death } from './restart-policy';

describe('a process that dies', () => {
  it('is started again with growing delays', () => {
    expect([1, 2, 3, 4].map((deaths) => nextStart(DEFAULT_POLICY, ready(deaths)))).toEqual([200, 500, 1_000, 2_000]);
  });

  it('is given up when it dies too often within a minute', () => {
    expect(nextStart(DEFAULT_POLICY, ready(5))).toBeUndefined();
  });

  it('is started again at once-in-a-while deaths, however many', () => {
    expect(nextStart(DEFAULT_POLICY, ready(50, 60_000))).toBe(200);
  });

  it('is given up when it never becomes ready again, however slowly it dies', () => {
    const deaths = [...ready(1), ...Array.from({ length: 5 }, (_, n) => ({ at: n * 100_000, wasReady: false }))];
    expect(nextStart(DEFAULT_POLICY, deaths.slice(0, 5))).toBe(2_000);
    expect(nextStart(DEFAULT_POLICY, deaths)).toBeUndefined();
  });

  it('is given up sooner when it was never ready at all', () => {
    expect(nextStart(DEFAULT_POLICY, [{ at: 0, wasReady: false }])).toBe(200);
    expect(nextStart(DEFAULT_POLICY, Array(2).fill({ at: 0, wasReady: false }) as Death[])).toBeUndefined();
  });
});

const ready = (deaths: number, every = 1_000): Death[] =>
  Array.from({ length: deaths }, (_, n) => ({ at: n * every, wasReady: true }));
