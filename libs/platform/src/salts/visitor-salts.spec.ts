import { randomBytes, createHmac } from 'node:crypto';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { proxyTo, type BreakableProxy } from '@test/network/breakable-proxy';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openDataSource } from '../database/data-source';
import { openPool } from '../database/pool';
import { LogUnavailable } from '../log/log-reader';
import {
  Salt,
  SaltStore,
  VisitorSalts,
  destroyExpiredSalts,
  expiryOf,
  periodOf,
  periodsInUse,
  saltedHash,
} from './visitor-salts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const noon = Date.parse('2026-03-10T12:00:00Z');

describe('the salts of visitors', () => {
  let database: TestDatabase;
  let proxy: BreakableProxy;
  let source: DataSource;
  const clock = { now: noon };

  beforeAll(async () => {
    database = await createTestDatabase();
    const { hostname, port } = new URL(database.url);
    proxy = await proxyTo(hostname, Number(port));
    const url = Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
    source = await openDataSource({ url, name: 'spec', max: 1, entities: [Salt] });
  });
  beforeEach(async () => {
    clock.now = noon;
    await source.getRepository(Salt).clear();
  });
  afterAll(async () => {
    await source.destroy();
    await proxy.close();
    await database.drop();
  });

  const newProcess = () => new VisitorSalts(new SaltStore(source), () => clock.now);

  async function startedProcess(): Promise<VisitorSalts> {
    const salts = newProcess();
    await salts.load();
    return salts;
  }

  /** As the timer of a process does. */
  async function livesThrough(days: number, ...processes: readonly VisitorSalts[]): Promise<void> {
    for (let day = 0; day < days; day++) {
      clock.now += DAY;
      for (const salts of processes) await salts.refresh();
    }
  }

  it('are one a day for each website, the same in every process', async () => {
    const [one, other] = await Promise.all([startedProcess(), startedProcess()]);
    const salt = one.saltFor('site_1', periodOf(noon, 'daily'));
    expect(salt).toHaveLength(32);
    expect(one.saltFor('site_1', periodOf(noon + HOUR, 'daily'))).toEqual(salt);
    expect(other.saltFor('site_1', periodOf(noon, 'daily'))).toEqual(salt);
    const others = [
      one.saltFor('site_2', periodOf(noon, 'daily')),
      one.saltFor('site_1', periodOf(noon - DAY, 'daily')),
      one.saltFor('site_1', periodOf(noon, 'monthly')),
      one.saltFor('site_1', periodOf(noon, 'stable')),
    ];
    expect(new Set([salt, ...others].map((each) => each.toString('hex'))).size).toBe(5);
  });

  it('exist for every event that can arrive, before it does, wherever its website is', () => {
    const time = fc.integer({ min: Date.parse('2024-01-01'), max: Date.parse('2032-01-01') });
    const ahead = fc.integer({ min: -70 * DAY, max: DAY });
    const zone = fc.integer({ min: -12 * 4, max: 14 * 4 }).map((intervals) => (intervals * HOUR) / 4);
    const identity = fc.constantFrom('daily', 'monthly', 'stable');
    fc.assert(
      fc.property(time, ahead, zone, identity, (now, offset, local, kind) => {
        const period = periodOf(now + offset + local, kind);
        const names = periodsInUse(now).map(({ name }) => name);
        expect(names.includes(period.name)).toBe(expiryOf(period) > now);
        expect(names).toContain(periodOf(now + local, kind).name);
      }),
    );
  });

  it('need no store for a new website, at midnight, or after days without events', async () => {
    const salts = await startedProcess();
    await livesThrough(5, salts);
    await proxy.refuse();
    clock.now = Date.parse('2026-03-17T00:00:00+14:00');
    const first = periodOf(Date.parse('2026-03-17'), 'daily');
    await salts.refresh().catch((error: unknown) => expect(error).toBeInstanceOf(LogUnavailable));
    const salt = salts.saltFor('site_new', first);
    await proxy.mend();
    expect((await startedProcess()).saltFor('site_new', first)).toEqual(salt);
  });

  it('are made where the store is away for days, and are those of every process once it is back', async () => {
    const salts = await startedProcess();
    await proxy.refuse();
    clock.now += 3 * DAY;
    await expect(salts.refresh()).rejects.toThrow(LogUnavailable);
    const salt = salts.saltFor('site_1', periodOf(clock.now, 'daily'));
    expect(salts.saltFor('site_1', periodOf(clock.now, 'daily'))).toEqual(salt);
    await proxy.mend();
    await salts.refresh();
    expect(salts.saltFor('site_1', periodOf(clock.now, 'daily'))).toEqual(salt);
    expect((await startedProcess()).saltFor('site_1', periodOf(clock.now, 'daily'))).toEqual(salt);
  });

  it('are those that another process stored first', async () => {
    const salts = await startedProcess();
    clock.now += 3 * DAY;
    const own = salts.saltFor('site_1', periodOf(clock.now, 'daily'));
    const stored = (await startedProcess()).saltFor('site_1', periodOf(clock.now, 'daily'));
    expect(own).not.toEqual(stored);
    await salts.refresh();
    expect(salts.saltFor('site_1', periodOf(clock.now, 'daily'))).toEqual(stored);
  });

  it('are gone from the store and from memory 48 hours after their period, but for stable ones', async () => {
    const salts = await startedProcess();
    const daily = salts.saltFor('site_1', periodOf(noon, 'daily'));
    const stable = salts.saltFor('site_1', periodOf(noon, 'stable'));
    await livesThrough(400, salts);
    const pool = openPool({ url: database.url, name: 'spec', max: 1 });
    await destroyExpiredSalts(pool, new Date(clock.now));
    await pool.end();
    expect(salts.saltFor('site_1', periodOf(noon, 'stable'))).toEqual(stable);
    expect((await startedProcess()).saltFor('site_1', periodOf(noon, 'stable'))).toEqual(stable);
    clock.now = noon;
    expect(salts.saltFor('site_1', periodOf(noon, 'daily'))).not.toEqual(daily);
    expect((await startedProcess()).saltFor('site_1', periodOf(noon, 'daily'))).not.toEqual(daily);
  });

  it('are those that an earlier version stored for the website, until the end of the period', async () => {
    const rows = (['daily', 'stable'] as const).map((identity) => {
      const { name, end } = periodOf(noon, identity);
      const expiresAt = end === Infinity ? null : new Date(end + 48 * HOUR);
      return { scope: 'site_old', period: name, salt: randomBytes(32), expiresAt };
    });
    await source.getRepository(Salt).insert(rows);
    const salts = await startedProcess();
    const [daily, stable] = rows;
    expect(salts.saltFor('site_old', periodOf(noon, 'daily'))).toEqual(daily!.salt);
    expect(salts.saltFor('site_new', periodOf(noon, 'daily'))).not.toEqual(daily!.salt);
    const tomorrow = salts.saltFor('site_old', periodOf(noon + DAY, 'daily'));
    await livesThrough(4, salts);
    expect(salts.saltFor('site_old', periodOf(clock.now, 'daily'))).toHaveLength(32);
    expect(salts.saltFor('site_old', periodOf(clock.now, 'stable'))).toEqual(stable!.salt);
    expect((await startedProcess()).saltFor('site_old', periodOf(noon + DAY, 'daily'))).not.toEqual(tomorrow);
  });

  it('are not guessed where they cannot be read at the start', async () => {
    await proxy.refuse();
    await expect(newProcess().load()).rejects.toThrow(LogUnavailable);
    await proxy.mend();
  });
});

describe('a salted hash', () => {
  it('is the beginning of HMAC-SHA-256, whatever the salt and the text', () => {
    const salt = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 700 }), fc.string({ maxLength: 40 }));
    fc.assert(
      fc.property(salt, text, (key, value) => {
        const hmac = createHmac('sha256', key).update(`session\n${value}`).digest('hex');
        expect(saltedHash(key, 'session', value)).toBe(hmac.slice(0, 32));
      }),
    );
  });

  it('is the same for text that UTF-8 does not have', () => {
    const key = Buffer.alloc(32, 7);
    const value = 'a\ud800b';
    const hmac = createHmac('sha256', key).update(`session\n${value}`).digest('hex');
    expect(saltedHash(key, 'session', value)).toBe(hmac.slice(0, 32));
  });
});
