import type { MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { monitorCheck } from '@test/monitors/random-checks';
import { type ToldMonitor, lapsed, messagesAfterCheck } from './monitor-messages';

describe('what is said of a monitor', () => {
  it('is that it is down after the second failure in a row, and up after a check that is up', () => {
    expect(said(UP, DOWN, UP, DOWN, DOWN, DOWN, UP, UP)).toEqual([
      [4, 'monitor.down', { since: 3, status: 500, failure: 'status', detail: 'No.' }],
      [6, 'monitor.up', { since: 3 }],
    ]);
  });

  it('is that nothing is known where what was down is under maintenance, until a check says it', () => {
    const maintained = { ...UP, maintenance: true };
    expect(said(DOWN, DOWN, maintained, { ...DOWN, maintenance: true }, UP)).toEqual([
      DOWN_AFTER_TWO,
      [2, 'monitor.unknown', { why: 'maintenance' }],
      [4, 'monitor.up', { since: 0 }],
    ]);
    expect(said(DOWN, maintained, DOWN, maintained)).toEqual([]);
  });

  it('is the same after a pause and after a gap, unless the first check is up', () => {
    expect(said(DOWN, DOWN, { ...DOWN, resumed: true })).toEqual([
      DOWN_AFTER_TWO,
      [2, 'monitor.unknown', { why: 'pause' }],
    ]);
    expect(said(DOWN, DOWN, { ...UP, resumed: true })).toEqual([DOWN_AFTER_TWO, [2, 'monitor.up', { since: 0 }]]);
    const [, , late] = said(DOWN, DOWN, { ...DOWN, minute: 9 }, DOWN);
    expect(late).toEqual([10, 'monitor.down', expect.objectContaining({ since: 9 })]);
    expect(said(DOWN, { ...DOWN, minute: 9 })).toEqual([]);
  });

  it('is not that it is down while the network of this installation may be to blame', () => {
    const doubtful = { ...DOWN, unconfirmed: true as const };
    expect(said(doubtful, doubtful, doubtful, UP)).toEqual([
      [1, 'monitor.unknown', { why: 'own_network' }],
      [3, 'monitor.up', { since: null }],
    ]);
    expect(said(DOWN, DOWN, doubtful, doubtful)).toEqual([DOWN_AFTER_TWO]);
    expect(said(doubtful, doubtful, DOWN, DOWN).at(-1)).toEqual([
      3,
      'monitor.down',
      expect.objectContaining({ since: 0 }),
    ]);
  });

  it('is each warning once', () => {
    const slow = { warning: 'slow' as const, detail: 'Slow.' };
    const ending = (certificateExpiresAt: number) => ({ warning: 'certificate' as const, certificateExpiresAt });
    expect(said(slow, UP, slow, slow, slow, DOWN, slow, UP, slow, slow)).toEqual([
      [3, 'monitor.warning', { warning: 'slow', detail: 'Slow.' }],
      [9, 'monitor.warning', { warning: 'slow', detail: 'Slow.' }],
    ]);
    expect(said(ending(1), ending(1), UP, ending(1), ending(2)).map(([minute]) => minute)).toEqual([0, 4]);
  });

  it('is nothing more of a monitor that is forgotten, unless it was down', () => {
    const after = (...checks: readonly Check[]) => run(checks).state;
    expect(lapsed(after(UP), 'pause', 5).messages).toEqual([]);
    expect(lapsed(after(DOWN, DOWN), 'gap', 5).messages).toEqual([{ type: 'monitor.unknown', at: 5, why: 'gap' }]);
  });

  it('does not change by a check that is recorded after a later one', () => {
    expect(said(DOWN, { ...DOWN, minute: 0 }, DOWN)).toEqual([[1, 'monitor.down', expect.anything()]]);
  });
});

type Check = Partial<MonitorChecked['data']> & { readonly minute?: number };

const UP: Check = {};
const DOWN: Check = { up: false, detail: 'No.' };
const DOWN_AFTER_TWO = [1, 'monitor.down', expect.objectContaining({ since: 0 })];

const START = Date.parse('2026-11-01T10:00:00Z');
const minuteOf = (at: number | null): number | null => (at === null ? null : (at - START) / 60_000);

function run(checks: readonly Check[]) {
  let state: ToldMonitor | undefined;
  let last = -1;
  const messages = checks.flatMap(({ minute, ...data }) => {
    last = minute ?? last + 1;
    const after = messagesAfterCheck(state, monitorCheck('mon_1', START + last * 60_000, data));
    state = after.state;
    return after.messages;
  });
  if (!state) throw new Error('There was no check.');
  return { state, messages };
}

/** By minute, with what each says. */
const said = (...checks: readonly Check[]) =>
  run(checks).messages.map(({ type, at, ...more }) => [
    minuteOf(at),
    type,
    'since' in more ? { ...more, since: minuteOf(more.since) } : more,
  ]);
