import type { MonitorState } from '@ledgerline/contracts/read-models/monitors';
import { afterCheck, isDown, isStale, type Downtime } from './downtime';

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
