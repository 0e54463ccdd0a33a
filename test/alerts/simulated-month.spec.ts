import type { Pool } from 'pg';
import type { AlertDetails } from '@ledgerline/contracts/events/alert.events';
import type { AlertDecided } from '@ledgerline/contracts/events/observed-events';
import { windowShape, windowsBetween, usualWindows } from '@ledgerline/domain/alerts/alert-windows';
import { AT_THE_BEGINNING, type AlertProgress, decideWindow } from '@ledgerline/domain/alerts/decide-window';
import type { InstantRange } from '@ledgerline/domain/query/buckets';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { AlertWorker, type WindowFiguresReader } from '../../apps/api/src/alerts/alert-worker';
import { Random } from '../../tools/traffic/random';
import { ask } from '../api/ask';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { PARTITIONS, projectInto, type DirectProjector } from '../query/projected-database';
import { allOf } from '../tracker/all-of';
import { type NaivePass, naiveTold } from './naive-alerts';
import { HOUR, MINUTE, MONTH, MONTH_ENDS, PLANTS, type PlantKind, plantAt, simulatedHits } from './simulated-hits';

jest.setTimeout(900_000);

const SEED = Number(process.env['ALERT_SEED'] ?? 71);
const KILLED = 'The process was killed.';

const RULES = {
  spikes: { window: { minutes: 60 }, compare: 'above', threshold: 200, pauseMinutes: 60 },
  drops: { window: { minutes: 60 }, compare: 'changed', percent: 60, direction: 'down', minimum: 20, pauseMinutes: 0 },
  silence: { window: { minutes: 30 }, compare: 'silence', pauseMinutes: 60 },
  quiet: {
    window: { minutes: 60 },
    compare: 'below',
    threshold: 20,
    quietHours: { from: '09:00', to: '15:30' },
    pauseMinutes: 120,
  },
} as const;
type RuleName = keyof typeof RULES;

describe(`a month of alerts (seed ${SEED})`, () => {
  it('tells every planted change once, and decides as plain loops over the hits that had arrived', () => {
    for (const name of NAMES) {
      const naive = naiveTold(rules[name], MONTH, hits, passes, hasTracker);
      const told = toldOf(name).map(({ data: { outcome, to, figure } }) => ({ outcome, to, figure }));
      expect([name, told]).toEqual([name, naive]);
    }
    expect(firedIn('spikes')).toEqual(plantsOf('spike'));
    // late hits are a drop to whoever has not seen them
    expect(firedIn('drops')).toEqual(plantsOf('drop', 'outage', 'dead tracker', 'late hits'));
    expect(firedIn('silence')).toEqual(plantsOf('outage'));
    for (const name of ['spikes', 'drops', 'silence'] as const) {
      const blind = toldOf(name).filter(({ data }) => data.outcome === 'blind');
      expect(blind.map(({ data }) => [data.why, plantAt(data.to + 4 * MINUTE)?.kind])).toEqual([
        ['no_tracker', 'dead tracker'],
        ['behind', 'stalled'],
      ]);
    }
  });

  it('decides each window once, whatever was killed and however many decide', () => {
    expect(kills).toBeGreaterThan(100);
    const keys = decided.map(({ data }) => `${data.alertId} ${data.to} ${data.outcome}`);
    expect(new Set(keys).size).toBe(keys.length);
    for (const name of NAMES) {
      const counted = ofRule(name).reduce((sum, { data }) => sum + data.windows, 0);
      const together = ofRule(name).filter(({ data }) => data.outcome === 'seeing').length; // one that fires at once has two
      const windows = windowsBetween(shapeOf(name), MONTH, passes.at(-1)!.now - 2 * MINUTE).length;
      expect(windows - counted + together).toBeGreaterThanOrEqual(0);
      expect(windows - counted).toBeLessThan(288); // those of the last day are not counted yet
    }
  });

  it('differs from the trial by late hits, blind windows and nothing else', () => {
    for (const name of NAMES) {
      const tried = trial(name);
      const then = new Set(toldOf(name).map(({ data }) => `${data.outcome} ${data.to}`));
      const differing = [
        ...tried.filter(({ outcome, to }) => !then.has(`${outcome} ${to}`)),
        ...toldOf(name)
          .map(({ data }) => data)
          .filter(({ outcome, to }) => !tried.some((each) => each.outcome === outcome && each.to === to)),
      ];
      for (const { to } of differing) {
        const lateHits = hits.filter(({ at, receivedAt }) => at >= to - 4 * HOUR && at < to && receivedAt - at > HOUR);
        const isBlind = PLANTS.some(
          ({ kind, from, to: end }) =>
            (kind === 'stalled' || kind === 'dead tracker') && from < to && to < end + 4 * HOUR,
        );
        expect([name, to, lateHits.length > 0 || isBlind]).toEqual([name, to, true]);
      }
    }
    expect(trial('drops').filter(({ to }) => plantAt(to - 1)?.kind === 'late hits')).toEqual([]);
  });

  const NAMES = Object.keys(RULES) as RuleName[];
  const hits = simulatedHits(SEED);
  const times = hits.map(({ at }) => at).toSorted((a, b) => a - b);
  const late = hits.filter(({ at, receivedAt }) => receivedAt - at > 30_000);
  const random = new Random(SEED, 2);
  const passes: NaivePass[] = [];
  const decided: AlertDecided[] = [];
  const ids = new Map<RuleName, string>();
  const rules = {} as Record<RuleName, AlertDetails>;
  let kills = 0;
  let clock: NaivePass;

  const hasTracker = (at: number) => plantAt(at)?.kind !== 'dead tracker';
  const ofRule = (name: RuleName) => decided.filter(({ data }) => data.alertId === ids.get(name));
  const toldOf = (name: RuleName) =>
    ofRule(name)
      .filter(({ data }) => data.outcome !== 'quiet' && data.outcome !== 'undecided')
      .toSorted((a, b) => a.at - b.at || (a.data.outcome === 'seeing' ? -1 : 1));
  const shapeOf = (name: RuleName) => windowShape(rules[name], 'Europe/Berlin');

  /** The plants in or shortly after which a rule fired, in their order, each as often as it did. */
  const firedIn = (name: RuleName) =>
    toldOf(name)
      .filter(({ data }) => data.outcome === 'fired')
      .map(({ data }) => PLANTS.findIndex(({ from, to }) => from < data.to && data.to <= to + HOUR));
  const plantsOf = (...kinds: readonly PlantKind[]) =>
    PLANTS.flatMap(({ kind }, at) => (kinds.includes(kind) ? [at] : []));

  /** All hits are counted that a window has by a time. */
  function countOf({ from, to }: InstantRange, asOf: number): number {
    const missing = late.filter(({ at, receivedAt }) => at >= from && at < to && receivedAt > asOf).length;
    const recent =
      to + MINUTE > asOf ? hits.filter(({ at, receivedAt }) => at >= from && at < to && receivedAt > asOf) : [];
    return firstFrom(to) - firstFrom(from) - Math.max(missing, recent.length);
  }

  function firstFrom(at: number): number {
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const figures: WindowFiguresReader = {
    read: (_, windows) => {
      if (random.chance(0.02)) throw new Error(KILLED);
      const { asOf } = clock;
      return Promise.resolve({
        asOf,
        hasSpooledClicks: false,
        figures: windows.map((window) => countOf(window, asOf)),
      });
    },
  };

  /** What the rule would have told of all that arrived in the end. */
  function trial(name: RuleName) {
    const shape = shapeOf(name);
    let progress: AlertProgress = AT_THE_BEGINNING;
    return windowsBetween(shape, MONTH, MONTH_ENDS).flatMap((window) => {
      const usual = usualWindows(shape, window).map((each) => countOf(each, Infinity));
      const of = { ...window, figure: countOf(window, Infinity), usual };
      const { progress: next, told } = decideWindow(rules[name], shape.zone, progress, of);
      progress = next;
      return told;
    });
  }

  let api: TestApi;
  let owner: Owner;
  let projector: DirectProjector;
  let pool: Pool;
  let store: EventStore;
  let log: IntakeLog;

  /** A process that is killed at times: before it stored what it decided, or before it knows that it was sent. */
  function startWorker(): AlertWorker {
    const intakeLog: Pick<IntakeLog, 'send'> = {
      send: async (items) => {
        if (random.chance(0.1)) throw new Error(KILLED);
        const sent = await log.send(items);
        if (random.chance(0.1)) throw new Error(KILLED);
        return sent;
      },
    };
    const dying = Object.assign(Object.create(pool) as Pool, {
      query: (...of: Parameters<Pool['query']>) =>
        random.chance(0.01) ? Promise.reject(new Error(KILLED)) : pool.query(...of),
    });
    const logger = { warn: () => undefined, info: () => undefined } as never;
    const { publicApiUrl } = api.settings;
    return new AlertWorker({
      pool: dying,
      store,
      intakeLog,
      figures,
      publicApiUrl,
      logger,
      clock: () => Promise.resolve(clock.now),
    });
  }

  /** Two processes decide at once, until what is due is decided and sent. */
  async function pass(): Promise<void> {
    for (;;) {
      const results = await Promise.allSettled([startWorker().runOnce(), startWorker().runOnce()]);
      const failed = results.filter((each) => each.status === 'rejected');
      for (const { reason } of failed) if (!String(reason).includes(KILLED)) throw reason;
      kills += failed.length;
      await run(pool, sql`update alert_states set claimed_until = now() - interval '1 s' where claim is not null`);
      if (failed.length > 0)
        await run(pool, sql`update alert_states set due_at = least(due_at, ${new Date(clock.now)})`);
      const [left] = await run<{ left: number }>(pool, sql`select count(*)::integer as left from alert_outbox`);
      if (failed.length === 0 && left?.left === 0) return;
    }
  }

  beforeAll(async () => {
    api = await startTestApi();
    await api.app.get(AlertWorker, { strict: false }).beforeApplicationShutdown(); // others decide here
    owner = await ownerWithWebsite(api);
    const { databaseUrl } = api.settings;
    projector = await projectInto(databaseUrl, []);
    pool = openPool({ url: databaseUrl, name: 'spec', max: 4 });
    store = await openEventStore({ databaseUrl });
    log = await openIntakeLog({ databaseUrl, partitions: PARTITIONS });
    const { headers, organizationId } = owner;
    const create = async (path: string, of: object) => {
      const { status, body, text } = await ask(api, `POST /v1/${path}`, { body: { organizationId, ...of }, headers });
      if (status !== 201) throw new Error(text);
      return { ...body, id: String(body.id) };
    };
    const shop = { name: 'Berlin', domain: 'berlin.example', timezone: 'Europe/Berlin' };
    const { id: websiteId } = await create('websites', shop);
    for (const name of NAMES) {
      const made = await create('alerts', { websiteId, name, figure: 'pageviews', ...RULES[name] });
      ids.set(name, made.id);
      rules[name] = made as unknown as AlertDetails; // the answer has every field of it
    }
    await projector.catchUp();
    clock = { now: Date.now(), asOf: 0 };
    await startWorker()
      .runOnce()
      .catch(() => startWorker().runOnce());
    await run(pool, sql`update alert_states set decided_until = ${new Date(MONTH)}, due_at = ${new Date(MONTH)}`);
    await run(
      pool,
      sql`insert into tracker_minutes select to_timestamp(minute / 1000.0)
        from unnest(${minutes()}::float8[]) as m (minute) on conflict do nothing`,
    );
    for (let now = MONTH; now < MONTH_ENDS;) {
      now = Math.min(now + MINUTE * (5 + random.below(40)), MONTH_ENDS); // nobody comes after it
      const stalled = PLANTS.find(({ kind, from, to }) => kind === 'stalled' && from <= now && now < to);
      clock = { now, asOf: stalled?.from ?? now };
      passes.push(clock);
      await pass();
    }
    decided.push(...(await allOf(log)).flatMap((event) => (event.type === 'AlertDecided' ? [event] : [])));
  });

  const minutes = () => {
    const all: number[] = [];
    for (let at = MONTH - 2 * HOUR; at < MONTH_ENDS + HOUR; at += MINUTE) if (hasTracker(at)) all.push(at);
    return all;
  };

  afterAll(async () => {
    await Promise.all([projector.close(), store.close(), log.close(), pool.end()]);
    await api.close();
  });
});
