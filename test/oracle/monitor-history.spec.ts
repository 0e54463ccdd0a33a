import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { readMonitorHistory } from '../../apps/api/src/status/monitor-history';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { rebuild } from '../../apps/projector/src/rebuild/rebuild';
import { boundGroups } from '../../apps/projector/src/runner/bound-group';
import { monitorCheck } from '../monitors/random-checks';
import { openProjectedDatabase } from '../query/projected-database';
import { naiveUptimeRow } from './naive-monitor-answers';

const FIRST = Date.parse('2026-02-01T00:00:00Z');
const NOW = Date.parse('2026-05-02T00:00:00Z');
const EVERY = 15 * 60_000;
const DAY = 24 * 60 * 60_000;

it('shows the same 90 days of a monitor after a replay, which are those of its checks', async () => {
  const checks = Array.from({ length: (NOW - FIRST) / EVERY }, (_, n) =>
    monitorCheck('mon_1', FIRST + n * EVERY, {
      up: n % 701 > 4 && n % 97 > 0,
      intervalSeconds: EVERY / 1_000,
      durationMs: (n * 37) % 2_000,
    }),
  );
  const database = await openProjectedDatabase();
  const intakeLog = await openIntakeLog({ databaseUrl: database.url });
  const eventStore = await openEventStore({ databaseUrl: database.url });
  const pool = openProjectionPool(database.url);
  const stores = ReadStores.open([database.url], database.pool);
  try {
    await database.send('mon_1', checks, 500, 'never');
    const history = () => readMonitorHistory(stores, ['mon_1'], '2026-02-01');
    const live = await history();
    const days = Array.from({ length: 90 }, (_, day) => {
      const from = FIRST + day * DAY;
      const date = new Date(from).toISOString().slice(0, 10);
      return naiveUptimeRow(checks, date, { from, to: from + DAY, now: NOW });
    });
    const percentage = (failed: number, all: number) => Math.round(((all - failed) / all) * 10_000) / 100;
    expect(
      live.days.map((day) => ({
        date: day.date,
        uptime_percentage: percentage(day.failed, day.checks),
        total_checks: day.checks,
      })),
    ).toEqual(days);
    expect(live.downtimes).toHaveLength(13);

    const [group] = boundGroups({ eventStore, intakeLog, pool }).filter(({ name }) => name === 'monitors');
    expect(await rebuild({ group: group!, flip: true })).toMatchObject({ version: 2, differences: [], flipped: true });
    expect(await history()).toEqual(live);
  } finally {
    await Promise.all([intakeLog.close(), eventStore.close(), pool.end(), stores.close()]);
    await database.close();
  }
}, 60_000);
