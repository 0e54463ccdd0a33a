import type { MonitorState } from '@ledgerline/contracts/read-models/monitors';
import { monitorStatus, overallStatus, uptimePercentage } from './status';

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
