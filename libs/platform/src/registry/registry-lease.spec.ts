import type { Pool } from 'pg';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { openPool } from '../database/pool';
import { LogUnavailable } from '../log/log-reader';
import { RegistryFence, RegistryLease } from './registry-lease';

describe('a lease on the registry', () => {
  it('lets the registry be read, and names what is applied', async () => {
    const { lease } = started('7');
    expect(await lease.whileHeld(() => 'read')).toBe('read');
    expect(await positions()).toEqual(['7']);
  });

  it('is complete only after the registry reached a head that was read when the row was there', async () => {
    const seen: string[][] = [];
    const { lease } = started('7', async () => void seen.push(await positions()));
    await lease.whileHeld(() => undefined);
    expect(seen).toEqual([['7']]);
  });

  it('is not held while the registry cannot catch up', async () => {
    const { lease } = started('7', () => Promise.reject(new LogUnavailable('down')));
    await expect(lease.whileHeld(() => 'read')).rejects.toThrow(LogUnavailable);
  });

  it('is not held when the row was deleted, until the registry has caught up again', async () => {
    const { lease, live } = started('7');
    await lease.whileHeld(() => undefined);
    const expired = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 2_001);
    await database.query('delete from key_leases');
    live.catchUp = () => {
      live.position = '9';
      return Promise.resolve();
    };
    const position = lease.whileHeld(() => live.position);
    await waitUntil(positions, ({ length }) => length === 1);
    expired.mockRestore();
    expect(await position).toBe('9');
  });

  it('ends two seconds after the last renewal was sent, by the monotonic clock', async () => {
    const { lease, live } = started('7');
    await lease.whileHeld(() => undefined);
    const query = jest.spyOn(poolOf(lease), 'query').mockRejectedValue(new Error('down') as never);
    live.catchUp = () => Promise.reject(new LogUnavailable('down'));
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 1_400);
    expect(await lease.whileHeld(() => 'read')).toBe('read');
    clock.mockReturnValue(now + 2_001);
    await expect(lease.whileHeld(() => 'read')).rejects.toThrow(LogUnavailable);
    for (const spy of [query, clock]) spy.mockRestore();
  });

  it('is renewed at once after an event that takes rights away', async () => {
    const { lease, live } = started('7');
    await lease.whileHeld(() => undefined);
    live.position = '8';
    const renewals = await renewal();
    lease.apply(revoked);
    await waitUntil(renewal, (now) => now !== renewals);
    expect(await positions()).toEqual(['8']);
  });

  it('leaves no row behind', async () => {
    const { lease } = started('7');
    await lease.whileHeld(() => undefined);
    await lease.release();
    expect(await positions()).toEqual([]);
  });
});

describe('the fence', () => {
  it('is passed at once by processes that have applied the event', async () => {
    await insert('a', '8');
    await insert('b', '10');
    await fence().passed('8');
    expect(await positions()).toEqual(['10', '8']);
  });

  it('is passed when a process that renews its lease has applied the event', async () => {
    await insert('a', '7');
    const passed = fence().passed('8');
    await database.query(`update key_leases set position = '8', renewals = renewals + 1`);
    await passed;
    expect(await positions()).toEqual(['8']);
  });

  it.each([
    ['7', 'read'],
    ['8', 'read'],
    ['9', 'LogUnavailable'],
    [undefined, 'LogUnavailable'],
  ])('of what read models hold up to 8 is had while nothing newer was answered: %s', async (answered, result) => {
    await database.query('delete from newest_revocations');
    if (answered !== undefined) await fence().passed(answered);
    const away = () => Promise.reject(new LogUnavailable('down'));
    const { lease } = started('8', away, true);
    const read = lease.whileHeld(() => 'read').catch((error: unknown) => (error as Error).name);
    expect(await read).toBe(result);
  });

  it('keeps the newest position that was answered for, whichever came last', async () => {
    await database.query('delete from newest_revocations');
    await Promise.all(['3', '12', '5'].map((position) => fence().passed(position)));
    await fence().passed('4');
    const { rows } = await database.query<{ position: string }>('select position from newest_revocations');
    expect(Math.max(...rows.map(({ position }) => Number(position)))).toBe(12);
  });

  it('expires a lease that is not renewed for two seconds', async () => {
    await insert('paused', '7');
    const startedAt = performance.now();
    await fence().passed('8');
    expect(performance.now() - startedAt).toBeGreaterThan(2_000);
    expect(await positions()).toEqual([]);
  });

  it('is unavailable while a process goes on without the event', async () => {
    await insert('stuck', '7');
    const renewing = setInterval(() => void database.query('update key_leases set renewals = renewals + 1'), 200);
    await expect(fence().passed('8')).rejects.toThrow(LogUnavailable);
    clearInterval(renewing);
    expect(await positions()).toEqual(['7']);
  });
});

const revoked = { type: 'ApiKeyRevoked', data: {} } as unknown as Recorded; // only its type counts

let test: TestDatabase;
let database: Pool;
const leases: RegistryLease[] = [];

const fence = () => new RegistryFence(database, { compare: (a, b) => Number(a) - Number(b) });
const poolOf = (lease: RegistryLease): Pool => (lease as unknown as { pool: Pool }).pool; // its connection to break

function started(position: string, catchUp: () => Promise<void> = () => Promise.resolve(), isHeld = false) {
  const includes = (cursor: string) => Number(live.position) >= Number(cursor);
  const live = { position, catchUp, isHeld, includes, ready: Promise.resolve(), add: () => undefined };
  const lease = new RegistryLease(live, test.url, 'api', { warn: jest.fn(), info: jest.fn() });
  leases.push(lease);
  lease.onApplicationBootstrap();
  return { lease, live };
}

const insert = (process: string, position: string) =>
  database.query(`insert into key_leases (id, process, position) values (gen_random_uuid(), $1, $2)`, [
    process,
    position,
  ]);

async function positions(): Promise<string[]> {
  const { rows } = await database.query<{ position: string }>('select position from key_leases order by position');
  return rows.map(({ position }) => position);
}

async function renewal(): Promise<string | undefined> {
  const { rows } = await database.query<{ renewals: string }>('select renewals from key_leases');
  return rows[0]?.renewals;
}

beforeAll(async () => {
  test = await createTestDatabase();
  database = openPool({ url: test.url, name: 'spec', max: 2 });
});

afterEach(async () => {
  jest.restoreAllMocks();
  for (const lease of leases.splice(0)) await lease.release().catch(() => undefined);
  await database.query('delete from key_leases');
});

afterAll(async () => {
  await database.end();
  await test.drop();
});
