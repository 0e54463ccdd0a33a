import { HitsPerVisitor } from './hits-per-visitor';

const NOON = Date.parse('2026-03-10T12:00:00Z');
const DAY_MS = 86_400_000;

describe('the hits that may bear a visitor’s name', () => {
  const quiet = () => undefined;

  it('are so many a UTC day, for each visitor of each website', () => {
    const hits = new HitsPerVisitor(2, quiet);
    const bears = (name: string, site = 'site_1', at = NOON) => hits.mayBear(name, site, at);
    expect([bears('a'), bears('a'), bears('a'), bears('a')]).toEqual([true, true, false, false]);
    expect([bears('b'), bears('a', 'site_2')]).toEqual([true, true]);
    expect([bears('a', 'site_1', NOON + DAY_MS / 2 - 1), bears('a', 'site_1', NOON + DAY_MS / 2)]).toEqual([
      false,
      true,
    ]);
  });

  it('are told of when they end, once and without the name', () => {
    const told = jest.fn();
    const hits = new HitsPerVisitor(1, told);
    for (let hit = 0; hit < 5; hit++) hits.mayBear('a', 'site_1', NOON);
    expect(told.mock.calls).toEqual([['site_1']]);
  });

  it('are told of no more than once a day, also where counts shrink in between', () => {
    const told = jest.fn();
    const hits = new HitsPerVisitor(2, told, 2);
    const bear = (name: string, at = NOON) => hits.mayBear(name, 'site_1', at);
    for (let round = 0; round < 10; round++) {
      for (const name of ['a', 'b']) for (let hit = 0; hit < 3; hit++) bear(name);
      bear(`made up ${round}`);
    }
    expect(told).toHaveBeenCalledTimes(2);
    for (let hit = 0; hit < 3; hit++) bear('a', NOON + DAY_MS);
    expect(told).toHaveBeenCalledTimes(3);
  });

  it('stay counted while thousands of others come and go, and few lose their name too early for it', () => {
    const hits = new HitsPerVisitor(50, quiet, 100);
    let borne = 0;
    for (let hit = 0; hit < 5_000; hit++) {
      if (hit % 10 === 0) borne += Number(hits.mayBear('constant', 'site_1', NOON));
      else expect(hits.mayBear(`made up ${hit}`, 'site_1', NOON)).toBe(true);
    }
    expect(borne).toBeGreaterThanOrEqual(50);
    expect(borne).toBeLessThanOrEqual(50 + 5_000 / 100);
  });
});
