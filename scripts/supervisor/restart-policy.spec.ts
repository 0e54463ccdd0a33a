import { DEFAULT_POLICY, delayAfter, failuresInARow } from './service';

describe('a process that dies', () => {
  it('is started again with growing delays of up to 30 s', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 1_000].map((failures) => delayAfter(DEFAULT_POLICY, failures));
    expect(delays).toEqual([200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 30_000, 30_000]);
  });

  it('waits longer each time when it dies soon after it was ready', () => {
    expect(failuresInARow(DEFAULT_POLICY, 6, 30_000)).toBe(7);
    expect(failuresInARow(DEFAULT_POLICY, 7, 0)).toBe(8);
  });

  it('is started again at once-in-a-while deaths, however many', () => {
    expect(failuresInARow(DEFAULT_POLICY, 50, 30_001)).toBe(1);
  });
});
