import type { IncidentDetails, MaintenanceRepeat } from '@ledgerline/contracts/events/status-page.events';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { openMonitoredDatabase, type MonitoredDatabase } from '@test/monitors/monitored-database';
import { CheckSchedule, type DueCheck } from './monitor-checks';

describe('the schedule of checks', () => {
  it('has nothing due without monitors', async () => expect(await schedule().take(50)).toEqual([]));

  it('gives a check to one process', async () => {
    await database.create('mon_1', {});
    const [first, second] = await Promise.all([schedule().take(50), schedule().take(50)]);
    expect([...first, ...second]).toMatchObject([{ id: 'mon_1', details: { organizationId: 'org_1', name: 'mon_1' } }]);
    expect(await schedule().take(50)).toEqual([]);
  });

  it('has the next check within an interval, at a time that depends on the monitor', async () => {
    for (const id of ['mon_1', 'mon_2', 'mon_3']) await database.create(id, { intervalSeconds: 3_600 });
    for (const check of await schedule().take(50)) await schedule().finish(check, true);
    const due = await dueTimes();
    expect(new Set(due.map(({ at }) => at)).size).toBe(3);
    for (const { inSeconds } of due) expect(inSeconds).toBeLessThanOrEqual(3_600);
    expect(due.every(({ inSeconds }) => inSeconds > 0)).toBe(true);
    expect(await schedule().take(50)).toEqual([]);
  });

  it('has the check after a first failure within a minute, and those after further ones at their times', async () => {
    await database.create('mon_1', { intervalSeconds: 3_600 });
    await schedule().finish(await only(), false);
    const [soon] = await dueTimes();
    expect(soon?.inSeconds).toBeLessThanOrEqual(60);
    const dueNow = () =>
      run(database.pool, sql`update monitor_schedule set due_at = date_trunc('milliseconds', now())`);
    await dueNow();
    await schedule().finish(await only(), false);
    const [later] = await run<{ rest: number }>(
      database.pool,
      sql`select mod(extract(epoch from due_at)::bigint - mod(abs(hashtext(monitor_id)::bigint), 3600), 3600)::integer as rest
        from monitor_schedule`,
    );
    expect(later?.rest).toBe(0);
    await dueNow();
    await schedule().finish(await only(), true);
    await dueNow();
    await schedule().finish(await only(), false);
    expect((await dueTimes())[0]?.inSeconds).toBeLessThanOrEqual(60);
  });

  it('gives no more checks than wanted, those that are due for longest first', async () => {
    for (const id of ['mon_1', 'mon_2', 'mon_3']) await database.create(id, {});
    await schedule().take(0);
    await run(
      database.pool,
      sql`update monitor_schedule set due_at = due_at - interval '1 h' where monitor_id = 'mon_3'`,
    );
    expect((await schedule().take(1)).map(({ id }) => id)).toEqual(['mon_3']);
    expect((await schedule().take(5)).map(({ id }) => id).sort()).toEqual(['mon_1', 'mon_2']);
  });

  it('gives a check of a process that died to another one, for the same due time', async () => {
    await database.create('mon_1', { timeoutSeconds: 3 });
    const taken = await only();
    const [{ seconds }] = (await run<{ seconds: number }>(
      database.pool,
      sql`select extract(epoch from claimed_until - now())::float8 as seconds from monitor_schedule`,
    )) as [{ seconds: number }];
    expect(seconds).toBeLessThanOrEqual(8);
    await expire();
    expect((await only()).dueAt).toBe(taken.dueAt);
  });

  it('is not moved by a process that finishes after another one has', async () => {
    await database.create('mon_1', {});
    const late = await only();
    await expire();
    await schedule().finish(await only(), true);
    const [next] = await dueTimes();
    await schedule().finish(late, true);
    await schedule().giveBack(late);
    expect((await dueTimes())[0]?.at).toBe(next?.at);
  });

  it('gives a check that was given back to any process at once', async () => {
    await database.create('mon_1', {});
    const taken = await only();
    await schedule().giveBack(taken);
    expect((await only()).dueAt).toBe(taken.dueAt);
  });

  it('leaves out monitors that are paused or deleted, and has resumed ones due at once', async () => {
    await database.create('mon_1', {});
    await database.create('mon_2', {});
    await schedule().take(0);
    await database.update('mon_1', { paused: true });
    await database.delete('mon_2');
    expect(await schedule().take(50)).toEqual([]);
    expect(await dueTimes()).toEqual([]);
    await database.update('mon_1', { paused: false });
    const first = await only();
    expect(first).toMatchObject({ id: 'mon_1', resumed: true });
    await schedule().finish(first, true);
    await run(database.pool, sql`update monitor_schedule set due_at = now()`);
    expect(await only()).toMatchObject({ id: 'mon_1', resumed: false });
  });

  it('has a monitor due at once when its interval changes, also for a process that goes on', async () => {
    const one = schedule();
    await database.create('mon_1', { intervalSeconds: 3_600 });
    const [taken] = await one.take(50);
    await one.finish(taken!, true);
    expect(await one.take(50)).toEqual([]);
    await database.update('mon_1', { intervalSeconds: 30 });
    expect(await one.take(50)).toMatchObject([{ id: 'mon_1', details: { intervalSeconds: 30 } }]);
  });

  it('marks checks within a planned maintenance of their monitor', async () => {
    for (const id of ['mon_1', 'mon_2', 'mon_3']) await database.create(id, {});
    await database.maintain(['mon_1'], -10, 10);
    await database.maintain(['mon_1', 'mon_2'], 10, 20);
    await database.maintain(['mon_3'], -20, -10);
    const taken = await schedule().take(50);
    expect(taken.map(({ id, maintenance }) => [id, maintenance]).sort()).toEqual([
      ['mon_1', true],
      ['mon_2', false],
      ['mon_3', false],
    ]);
  });

  it('marks checks within an occurrence of a maintenance that repeats', async () => {
    for (const id of ['mon_1', 'mon_2', 'mon_3', 'mon_4']) await database.create(id, {});
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const repeat = (startTime: string): MaintenanceRepeat => ({
      every: 'day',
      interval: 1,
      weekdays: [],
      monthDay: null,
      timezone: 'UTC',
      until: null,
      startTime,
      durationMinutes: 120,
      from: yesterday.slice(0, 10),
    });
    const [now, later] = [-60, 60].map((minutes) => new Date(Date.now() + minutes * 60_000));
    const [running, next] = [now!, later!].map((at) => repeat(at.toISOString().slice(11, 16)));
    const plan = (id: string, more: Partial<IncidentDetails>) =>
      database.maintain([id], 0, 0, { startsAt: null, endsAt: null, ...more });
    await plan('mon_1', { repeat: running! });
    await plan('mon_2', { repeat: next! });
    await plan('mon_3', { repeat: running!, resolvedAt: yesterday });
    const ended = { at: now!.toISOString(), status: 'resolved' as const, message: 'Done.' };
    await plan('mon_4', { repeat: running!, updates: [{ ...ended, occurrence: now!.toISOString().slice(0, 10) }] });
    const taken = await schedule().take(50);
    expect(taken.map(({ id, maintenance }) => [id, maintenance]).sort()).toEqual([
      ['mon_1', true],
      ['mon_2', false],
      ['mon_3', false],
      ['mon_4', false],
    ]);
  });

  let database: MonitoredDatabase;

  /** As another process has it. */
  const schedule = () => new CheckSchedule(database.pool, () => database.store.epoch());

  async function only(): Promise<DueCheck> {
    const [check, ...more] = await schedule().take(50);
    expect(more).toEqual([]);
    if (!check) throw new Error('Nothing is due.');
    return check;
  }

  const expire = () => run(database.pool, sql`update monitor_schedule set claimed_until = now() - interval '1 ms'`);

  const dueTimes = () =>
    run<{ at: string; inSeconds: number }>(
      database.pool,
      sql`select due_at::text as at, extract(epoch from due_at - now())::float8 as "inSeconds" from monitor_schedule`,
    );

  beforeEach(async () => {
    database = await openMonitoredDatabase();
  });

  afterEach(() => database.close());
});
