import type { MonitorState } from '@ledgerline/contracts/read-models/monitors';
import { monitorStatus, overallStatus } from './status';

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
  ] as const)('%j is %s', (statuses, overall) => expect(overallStatus(statuses)).toBe(overall));
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
