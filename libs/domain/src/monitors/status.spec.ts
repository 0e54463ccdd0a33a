import type { MonitorState } from '@ledgerline/contracts/read-models/monitors';
import { type Downtime, afterCheck, isDown, isStale, monitorStatus, overallStatus, uptimePercentage } from './status';

describe('the status of a monitor', () => {
  it('is up, degraded with the first failure, and down with the second', () =>
    expect([0, 1, 2, 3].map((failures) => monitorStatus(state(failures), false, NOW))).toEqual([
      'up',
      'degraded',
      'down',
      'down',
    ]));

  it('is unknown before its first check, while it is paused, and after three intervals without a check', () => {
    expect(monitorStatus(undefined, false, NOW)).toBe('unknown');
    expect(monitorStatus(state(0), true, NOW)).toBe('unknown');
    expect(monitorStatus(state(2), false, NOW + 3 * 60_000)).toBe('down');
    expect(monitorStatus(state(2), false, NOW + 3 * 60_000 + 1)).toBe('unknown');
  });

  it('is that of its maintenance while one is under way, whatever its checks say', () => {
    for (const each of [undefined, state(0), state(2)])
      expect(monitorStatus(each, false, NOW, { isMaintained: true })).toBe('maintenance');
  });

  it.each([
    ['slow', 'degraded'],
    ['certificate', 'degraded'],
    ['tls', 'up'],
  ] as const)('with the warning %s is %s', (warning, status) =>
    expect(monitorStatus(state(0), false, NOW, { warning })).toBe(status),
  );

  it('is degraded after a maintenance in which the newest check failed', () =>
    expect(monitorStatus({ ...state(0), up: false, failure: 'status' }, false, NOW)).toBe('degraded'));
});

describe('the status of several monitors', () => {
  it.each([
    [[], 'unknown'],
    [['up', 'up'], 'operational'],
    [['up', 'degraded'], 'degraded'],
    [['up', 'down'], 'degraded'],
    [['down', 'down'], 'outage'],
    [['down', 'unknown'], 'outage'],
    [['up', 'unknown'], 'unknown'],
    [['up', 'down', 'unknown'], 'degraded'],
    [['unknown'], 'unknown'],
    [['up', 'maintenance'], 'maintenance'],
    [['maintenance', 'unknown'], 'maintenance'],
    [['maintenance', 'down'], 'degraded'],
    [['maintenance', 'degraded', 'up'], 'degraded'],
  ] as const)('%j is %s', (statuses, overall) => expect(overallStatus(statuses)).toBe(overall));
});

describe('the uptime', () => {
  it.each([
    [0, 0, null],
    [3, 1, 66.67],
    [40_000, 0, 100],
    [40_000, 1, 99.99],
    [1, 1, 0],
  ])('of %i checks of which %i failed is %p', (checks, failed, uptime) =>
    expect(uptimePercentage(checks, failed)).toBe(uptime),
  );
});

const NOW = Date.parse('2026-11-01T10:00:00Z');

const state = (failures: number): MonitorState => ({
  lastAt: NOW,
  intervalSeconds: 60,
  up: failures === 0,
  status: 200,
  durationMs: 5,
  failure: null,
  failures,
  failingSince: failures === 0 ? null : NOW,
});

describe('a downtime', () => {
  it('begins with two failures in a row, at the first of them, and ends with the first check that is up', () => {
    expect(downtimes('up down down down up')).toEqual([
      { startedAt: 1, endedAt: null },
      { startedAt: 1, endedAt: 4 },
    ]);
  });

  it('is none for a single failure', () => expect(downtimes('up down up down up')).toEqual([]));

  it('ends where checks stopped for more than three intervals, and another one begins after them', () =>
    expect(downtimes('down down none none none down down')).toEqual([
      { startedAt: 0, endedAt: null },
      { startedAt: 0, endedAt: 1 },
      { startedAt: 5, endedAt: null },
    ]));

  it('goes on over three intervals without a check', () =>
    expect(downtimes('down down none none up')).toEqual([
      { startedAt: 0, endedAt: null },
      { startedAt: 0, endedAt: 4 },
    ]));

  it('ends with the last check before the monitor was paused, and another one begins after it', () => {
    expect(downtimes('down down none resumed-up')).toEqual([
      { startedAt: 0, endedAt: null },
      { startedAt: 0, endedAt: 1 },
    ]);
    expect(downtimes('down down none resumed-down down')).toEqual([
      { startedAt: 0, endedAt: null },
      { startedAt: 0, endedAt: 1 },
      { startedAt: 3, endedAt: null },
    ]);
  });

  it('ends with a planned maintenance, in which none begins', () =>
    expect(downtimes('down down planned planned planned down up')).toEqual([
      { startedAt: 0, endedAt: null },
      { startedAt: 0, endedAt: 2 },
    ]));

  it('is not changed by a check that is recorded after a later one', () => {
    const state = stateAfter('down down');
    expect(afterCheck(state, check('up', 1))).toEqual({ state, downtimes: [] });
    expect(isDown(state)).toBe(true);
  });
});

describe('the state of a monitor', () => {
  it('is stale after three intervals', () => {
    const state = stateAfter('up');
    expect(isStale(state, 3 * MINUTE)).toBe(false);
    expect(isStale(state, 3 * MINUTE + 1)).toBe(true);
  });

  it('is down with the second failure', () => {
    expect([stateAfter('up down'), stateAfter('up down down'), stateAfter('down down up')].map(isDown)).toEqual([
      false,
      true,
      false,
    ]);
  });
});

const MINUTE = 60_000;

const check = (outcome: string, minute: number) => ({
  at: minute * MINUTE,
  data: {
    organizationId: 'org_1',
    monitorId: 'mon_1',
    dueAt: minute * MINUTE,
    intervalSeconds: 60,
    up: outcome.endsWith('up'),
    status: 200,
    durationMs: 5,
    failure: outcome.endsWith('up') ? null : ('status' as const),
    maintenance: outcome === 'planned',
    resumed: outcome.startsWith('resumed'),
    warning: null,
    detail: null,
    certificateExpiresAt: null,
  },
});

/** One check a minute; `none` = a minute without one. */
function run(outcomes: string): { state: MonitorState | undefined; found: Downtime[] } {
  let state: MonitorState | undefined;
  const found: Downtime[] = [];
  for (const [minute, outcome] of outcomes.split(' ').entries()) {
    if (outcome === 'none') continue;
    const after = afterCheck(state, check(outcome, minute));
    state = after.state;
    found.push(...after.downtimes);
  }
  return { state, found };
}

const inMinutes = (at: number | null) => at && at / MINUTE;

const downtimes = (outcomes: string) =>
  run(outcomes).found.map(({ startedAt, endedAt }) => ({
    startedAt: inMinutes(startedAt),
    endedAt: inMinutes(endedAt),
  }));

function stateAfter(outcomes: string): MonitorState {
  const { state } = run(outcomes);
  if (!state) throw new Error('There is no check.');
  return state;
}
