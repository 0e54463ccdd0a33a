import type { Standing } from '../../apps/projector/src/runner/list-projections';
import { type CheckpointReading, standingTable, summaryTable } from './list';

describe('the table of projections', () => {
  it('shows every partition with events or a failure, and counts the others', () => {
    const text = standingTable([
      standing({ partition: 31, head: '5', events: 6 }),
      standing({ partition: 32 }),
      standing({ partition: 33, stopped: 'another log' }),
    ]);
    expect(text).toMatch(/1 \(live\).* 31 /);
    expect(text).toMatch(/ 33 .*another log/);
    expect(text).not.toContain(' 32 ');
    expect(text.split('\n').at(-1)).toBe('1 more without events.');
  });
});

const standing = (changes: Partial<Standing>): Standing => ({
  group: 'links',
  store: 1,
  version: 1,
  live: true,
  kept: false,
  partition: 0,
  cursor: '',
  head: '',
  lagMs: 0,
  asOf: null,
  events: 0,
  stopped: null,
  parked: 0,
  reconciledAt: null,
  findings: 0,
  ...changes,
});

const NOW = Date.parse('2026-06-01T12:00:00Z');

describe('the table of projections', () => {
  it('adds up the partitions of a version, with the rate since the reading before', () => {
    const before = reading(-2_000, partition(0, { events: 1_000 }), partition(1, { events: 500 }));
    const now = reading(0, partition(0, { events: 4_000, lagMs: 1_500 }), partition(1, { events: 2_500, parked: 2 }));
    expect(rows(now, before)).toEqual([['websites', '1', 'live', '2', '6,500', '2,500', '1.5 s', '2', '5 min ago']]);
  });

  it('gives no rate without a reading before, and none below zero for tables that are made anew', () => {
    const now = reading(0, partition(0, { events: 10 }));
    expect(rows(now)[0]![5]).toBe('');
    expect(rows(now, reading(-1_000, partition(0, { version: 2, events: 5 })))[0]![5]).toBe('');
    expect(rows(now, reading(-1_000, partition(0, { events: 50 })))[0]![5]).toBe('0');
  });

  it('names versions that are built beside the live one, those that are kept for a rollback, and others', () => {
    const left = partition(0, { version: 1, live: false, events: 20 });
    const live = partition(0, { version: 2, events: 90 });
    const built = partition(0, { version: 3, live: false, events: 30 });
    const kept = partition(0, { version: 4, live: false, kept: true, events: 90 });
    const states = rows(reading(0, left, live, built, kept)).map(([, version, state]) => [version, state]);
    expect(states).toEqual([
      ['1', 'left over'],
      ['2', 'live'],
      ['3', 'building, 33 %'],
      ['4', 'kept'],
    ]);
  });

  it('shows that tables beside the live ones wait for parked events, and how many', () => {
    const live = partition(0, { version: 2, events: 100 });
    const built = partition(0, { version: 3, live: false, events: 99, parked: 1 });
    const shown = rows(reading(0, live, built)).map(([, version, state, , , , , parked]) => [version, state, parked]);
    expect(shown).toEqual([
      ['2', 'live', '0'],
      ['3', 'waits for parked events', '1'],
    ]);
  });

  it('says which read stores cannot be reached', () => {
    expect(
      summaryTable({ ...reading(0, partition(0)), away: [2] })
        .split('\n')
        .at(-1),
    ).toBe('Read store 2 of READ_DATABASE_URLS cannot be reached; its projections are missing above.');
  });

  it('says which partitions are stopped, and why', () => {
    const now = reading(0, partition(0), partition(7, { stopped: 'offset 12 was rewritten' }));
    expect(rows(now)[0]![2]).toBe('live, 1 stopped');
    expect(summaryTable(now).split('\n').at(-1)).toBe(
      'websites version 1, partition 7, is stopped: offset 12 was rewritten',
    );
  });

  it('shows what comparing with the log has found, and where it was never done', () => {
    expect(reconciled(partition(0, { findings: 3 }), partition(1))).toBe('3 found wrong');
    expect(reconciled(partition(0), partition(1, { reconciledAt: null }))).toBe('not yet');
    expect(reconciled(partition(0, { group: 'registry', reconciledAt: null }))).toBe('');
  });

  it('names read stores where there are several, and longer times in minutes and hours', () => {
    const now = reading(0, partition(0, { lagMs: 125_000 }), partition(1, { store: 2, lagMs: 7_300_000 }));
    expect(rows(now).map(([name, , , , , , lag]) => [name, lag])).toEqual([
      ['websites (store 1)', '2 min'],
      ['websites (store 2)', '2 h'],
    ]);
  });
});

const reconciled = (...standings: Standing[]) => rows(reading(0, ...standings))[0]!.at(-1);

const reading = (ms: number, ...standings: Standing[]): CheckpointReading => ({ at: NOW + ms, standings, away: [] });

const partition = (number: number, changes: Partial<Standing> = {}): Standing => ({
  group: 'websites',
  store: 1,
  version: 1,
  live: true,
  kept: false,
  partition: number,
  cursor: '',
  head: '',
  lagMs: 0,
  asOf: null,
  events: 0,
  stopped: null,
  parked: 0,
  findings: 0,
  reconciledAt: new Date(NOW - 330_000),
  ...changes,
});

/** The cells of each line below the heading. */
const rows = (now: CheckpointReading, before?: CheckpointReading): string[][] =>
  summaryTable(now, before)
    .split('\n')
    .filter((line) => line.startsWith('│'))
    .slice(1)
    .map((line) =>
      line
        .split('│')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
