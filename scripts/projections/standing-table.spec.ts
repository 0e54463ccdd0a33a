import type { Standing } from '../../apps/projector/src/rebuild/list-projections';
import { standingTable } from './standing-table';

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
