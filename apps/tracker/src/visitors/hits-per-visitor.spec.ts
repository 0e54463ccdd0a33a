import { HitsPerVisitor } from './hits-per-visitor';

const NOON = Date.parse('2026-03-10T12:00:00Z');
const DAY_MS = 86_400_000;

describe('the hits that may have a visitor’s id', () => {
  const quiet = () => undefined;

  it('are so many a UTC day, for each visitor of each website', () => {
    const hits = new HitsPerVisitor(2, quiet);
    const may = (name: string, site = 'site_1', at = NOON) => hits.take(name, site, at);
    expect([may('a'), may('a'), may('a'), may('a')]).toEqual([true, true, false, false]);
    expect([may('b'), may('a', 'site_2')]).toEqual([true, true]);
    expect([may('a', 'site_1', NOON + DAY_MS / 2 - 1), may('a', 'site_1', NOON + DAY_MS / 2)]).toEqual([false, true]);
  });

  it('are reported when they end, once and without the id', () => {
    const reported = jest.fn();
    const hits = new HitsPerVisitor(1, reported);
    for (let hit = 0; hit < 5; hit++) hits.take('a', 'site_1', NOON);
    expect(reported.mock.calls).toEqual([['site_1']]);
  });

  it('are reported of no more than once a day, also where counts shrink in between', () => {
    const reported = jest.fn();
    const hits = new HitsPerVisitor(2, reported, 2);
    const bear = (name: string, at = NOON) => hits.take(name, 'site_1', at);
    for (let round = 0; round < 10; round++) {
      for (const name of ['a', 'b']) for (let hit = 0; hit < 3; hit++) bear(name);
      bear(`made up ${round}`);
    }
    expect(reported).toHaveBeenCalledTimes(2);
    for (let hit = 0; hit < 3; hit++) bear('a', NOON + DAY_MS);
    expect(reported).toHaveBeenCalledTimes(3);
  });

  it('stay counted while thousands of others come and go, and few lose their name too early for it', () => {
    const hits = new HitsPerVisitor(50, quiet, 100);
    let borne = 0;
    for (let hit = 0; hit < 5_000; hit++) {
      if (hit % 10 === 0) borne += Number(hits.take('constant', 'site_1', NOON));
      else expect(hits.take(`made up ${hit}`, 'site_1', NOON)).toBe(true);
    }
    expect(borne).toBeGreaterThanOrEqual(50);
    expect(borne).toBeLessThanOrEqual(50 + 5_000 / 100);
  });
});
