import { setImmediate } from 'node:timers/promises';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { openPool, run } from '../database/pool';
import { PostgresNotifications } from '../database/postgres-notifications';
import { sql } from '../database/sql';
import { type ChangeNotifications, LogChangeListener } from './log-change-listener';

const LONG = { timeoutMs: 20_000 };

describe('a listener for changes of a log', () => {
  let heads: Map<number, string>;
  let notify: Parameters<ChangeNotifications['subscribe']>[0];
  let listener: LogChangeListener;
  const notifications: ChangeNotifications = {
    subscribe: (onChange) => void (notify = onChange),
    close: () => Promise.resolve(),
  };

  beforeEach(() => {
    heads = new Map([
      [0, '5'],
      [1, '7'],
    ]);
    listener = new LogChangeListener(notifications, () => Promise.resolve(heads));
  });
  afterEach(() => listener.close());

  it('wakes who is behind the head already', () => listener.wait(0, '4', LONG));

  it('wakes by a notification of the partition, not of another', async () => {
    const woken: number[] = [];
    const waiting = [0, 1].map((partition) =>
      listener.wait(partition, heads.get(partition)!, LONG).then(() => woken.push(partition)),
    );
    notify({ partitions: new Set([1]) });
    await waiting[1];
    expect(woken).toEqual([1]);
    notify();
    await waiting[0];
  });

  it('wakes by a notification of a wanted type, not of others', async () => {
    const woken: string[] = [];
    const waiting = [['LinkDeleted', 'LinkUpdated'], ['KeyRevoked'], undefined].map((types) =>
      listener.wait(0, '5', { ...LONG, types }).then(() => woken.push(types?.[0] ?? 'any')),
    );
    notify({ types: new Set(['LinkCreated', 'LinkUpdated']) });
    await Promise.all([waiting[0], waiting[2]]);
    expect(woken).toEqual(['LinkDeleted', 'any']);
    notify();
    await waiting[1];
  });

  it('does not wake who is ahead of what is announced', async () => {
    let mayHaveAfter = false;
    const ahead = new LogChangeListener({ ...notifications, mayHaveAfter: () => mayHaveAfter }, () =>
      Promise.resolve(heads),
    );
    let isWoken = false;
    const waiting = ahead.wait(0, '5', LONG).then(() => (isWoken = true));
    notify();
    await setImmediate();
    expect(isWoken).toBe(false);
    mayHaveAfter = true;
    notify();
    await waiting;
    await ahead.close();
  });

  it('wakes by polling when a notification got lost', async () => {
    const waiting = listener.wait(0, '5', LONG);
    heads.set(0, '6');
    await waiting;
  });

  it('goes on polling when the heads cannot be read', async () => {
    let reads = 0;
    const failing = new LogChangeListener(notifications, () => {
      reads += 1;
      return reads < 3 ? Promise.reject(new Error('down')) : Promise.resolve(new Map([[0, '6']]));
    });
    await failing.wait(0, '5', LONG);
    expect(reads).toBe(3);
    await failing.close();
  });

  it('stops waiting after its time, when aborted, and when closed', async () => {
    await listener.wait(0, '5', { timeoutMs: 1 });
    const gone = new AbortController();
    const aborted = listener.wait(0, '5', { ...LONG, signal: gone.signal });
    gone.abort();
    await aborted;
    const closed = listener.wait(0, '5', LONG);
    await listener.close();
    await closed;
    await listener.wait(0, '5', LONG);
  });
});

describe('notifications of Postgres', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  it('end a connection on which LISTEN failed', async () => {
    const pool = openPool({ url: database.url, name: 'spec', max: 1 });
    const notifications = new PostgresNotifications({
      url: database.url,
      channel: 'a_log',
      applicationName: 'ledgerline-listen',
      toChange: () => ({}),
    });
    const refusal = jest.spyOn(Client.prototype, 'query').mockImplementation((text: unknown) => {
      if (text === 'listen a_log') throw new Error('refused'); // after the session was set up
    });
    notifications.subscribe(() => undefined);
    await waitUntil(
      () => refusal.mock.calls,
      (calls) => calls.some(([text]) => (text as unknown) === 'listen a_log'),
    );
    refusal.mockRestore();
    const listening = sql`select from pg_stat_activity
      where datname = current_database() and application_name = 'ledgerline-listen'`;
    await waitUntil(
      () => run(pool, listening),
      (connections) => connections.length === 0,
    );
    await notifications.close();
    await pool.end();
  });
});
