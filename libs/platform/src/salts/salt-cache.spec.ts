import { SaltCache } from './salt-cache';
import type { Period } from './period';
import { Salt } from './salt.entity';

const HOUR = 3_600_000;
const noon = Date.parse('2026-03-10T12:00:00Z');

describe('the cache of salts', () => {
  it('gives one website one salt a day, and asks the store once', async () => {
    const { cache, store } = setup();
    const first = await cache.saltFor('site_1', 'daily', noon);
    expect(cache.saltFor('site_1', 'daily', noon + HOUR)).toBe(first);
    expect(await cache.saltFor('site_2', 'daily', noon)).not.toEqual(first);
    expect(store.asked).toEqual(['site_1 2026-03-10 2026-03-11', 'site_2 2026-03-10 2026-03-11']);
  });

  it('asks once however many wait', async () => {
    const { cache, store } = setup();
    await Promise.all([cache.saltFor('site_1', 'daily', noon), cache.saltFor('site_1', 'daily', noon)]);
    expect(store.asked).toHaveLength(1);
  });

  it('has the salt of the next day before midnight, so that a dead store is not noticed', async () => {
    const { cache, store, clock } = setup();
    const today = await cache.saltFor('site_1', 'daily', noon);
    store.down = true;
    clock.now = Date.parse('2026-03-11T00:00:00Z');
    const tomorrow = cache.saltFor('site_1', 'daily', clock.now);
    expect(tomorrow).toBeInstanceOf(Buffer);
    expect(tomorrow).not.toEqual(today);
  });

  it('takes the salt of the day of the event while it lives, then that of today', async () => {
    const { cache, clock } = setup();
    const day = await cache.saltFor('site_1', 'daily', noon);
    clock.now = Date.parse('2026-03-12T23:59:59Z');
    expect(await cache.saltFor('site_1', 'daily', noon)).toEqual(day);
    clock.now = Date.parse('2026-03-13T00:00:00Z');
    const later = await cache.saltFor('site_1', 'daily', noon);
    expect(later).not.toEqual(day);
    expect(later).toEqual(await cache.saltFor('site_1', 'daily', clock.now));
  });

  it('fetches the next month a day ahead, again and again until it has it', async () => {
    const { cache, store, clock } = setup();
    await cache.saltFor('site_1', 'monthly', noon);
    expect(store.asked).toEqual(['site_1 2026-03']);
    clock.now = Date.parse('2026-03-31T12:00:00Z');
    store.down = true;
    await cache.saltFor('site_1', 'monthly', clock.now);
    await settled();
    store.down = false;
    clock.now += 20_000;
    await cache.saltFor('site_1', 'monthly', clock.now);
    await settled();
    expect(store.asked).toEqual(['site_1 2026-03', 'site_1 2026-04']);
    store.down = true;
    expect(cache.saltFor('site_1', 'monthly', Date.parse('2026-04-01T00:00:00Z'))).toBeInstanceOf(Buffer);
  });

  it('keeps a stable salt for ever', async () => {
    const { cache, clock } = setup();
    const salt = await cache.saltFor('site_1', 'stable', noon);
    clock.now += 1000 * 24 * HOUR;
    cache.dropExpired();
    expect(cache.saltFor('site_1', 'stable', noon)).toBe(salt);
  });

  it('drops expired salts from memory', async () => {
    const { cache, store, clock } = setup();
    await cache.saltFor('site_1', 'daily', noon);
    clock.now += 4 * 24 * HOUR;
    cache.dropExpired();
    clock.now = noon;
    await cache.saltFor('site_1', 'daily', noon);
    expect(store.asked).toHaveLength(2);
  });

  it('has many ready before they are needed', async () => {
    const { cache, store } = setup();
    await cache.prepare(['org_1', 'org_2'], 'daily');
    store.down = true;
    expect(cache.saltFor('org_2', 'daily', noon)).toBeInstanceOf(Buffer);
    expect(cache.saltFor('org_1', 'daily', noon + 24 * HOUR)).toBeInstanceOf(Buffer);
    expect(store.asked).toEqual(['org_1 org_2 2026-03-10 2026-03-11']);
  });

  it('rejects while the store is down and nothing is in memory', async () => {
    const { cache, store } = setup();
    store.down = true;
    await expect(cache.saltFor('site_1', 'daily', noon)).rejects.toThrow('down');
  });
});

function setup() {
  const clock = { now: noon };
  const store = {
    asked: [] as string[],
    down: false,
    obtain(scopes: readonly string[], periods: readonly Period[]): Promise<readonly Salt[]> {
      if (store.down) return Promise.reject(new Error('down'));
      const names = periods.map(({ name }) => name);
      store.asked.push([...scopes, ...names].join(' '));
      return Promise.resolve(
        scopes.flatMap((scope) =>
          names.map((period) => Object.assign(new Salt(), { scope, period, salt: Buffer.from(`${scope} ${period}`) })),
        ),
      );
    },
  };
  return { clock, store, cache: new SaltCache(store, () => clock.now) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
