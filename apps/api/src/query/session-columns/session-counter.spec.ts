import { ALL_ZERO, encodeIntegers } from '@ledgerline/aggregation/integer-column';
import { aggregate, type CountPlan } from '@ledgerline/aggregation/plan';
import { encodeRollupPart } from '@ledgerline/aggregation/rollup-codec';
import { layoutOf } from '@ledgerline/aggregation/rollup-part';
import type { PackedColumn } from '@ledgerline/aggregation/session-day';
import type { ColumnTable } from '@ledgerline/aggregation/tables';
import type { PlanTask, RollupBytes, RollupTask, SessionsTask } from '@ledgerline/aggregation/tasks';
import { AGGREGATES, rollupNamed, viewsBy } from '@ledgerline/contracts/aggregates/website-aggregates';
import { dayNumber } from '@ledgerline/domain/time/zones';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { someRequest } from '@test/query/selected-sessions';
import { queryContext } from '@test/query/sql-database';
import { keyOfParts, preAggregateColumn, preAggregatedNumbers } from './rollup-parts';
import { SessionCounter } from './session-counter';

let counter: SessionCounter;
const metrics = new Metrics();
beforeAll(
  () => (counter = new SessionCounter({ queryCacheMb: 1, queryMemoryMb: 64 }, metrics, { warn: () => undefined })),
);
afterAll(() => counter.onApplicationShutdown());

describe('types counted in a thread', () => {
  it('are counted by their plans, and the failure of one is its own', async () => {
    const [country, unknown, again] = await counter.count(task(COUNTRIES, UNKNOWN, COUNTRIES), waiting());
    expect(country).toMatchObject({ size: 1 });
    expect(plain(country)).toMatchObject({ value: [7], pageviews: [3], visitors: [2] });
    expect(unknown).toMatchObject({
      failure: expect.objectContaining({ message: expect.any(String) as string }) as Error,
    });
    expect(plain(again)).toEqual(plain(country));
  });

  it('are dropped when the client has gone, and when the time is over', async () => {
    const gone = new AbortController();
    gone.abort(new Error('gone'));
    await expect(counter.count(task(COUNTRIES), { ...waiting(), signal: gone.signal })).rejects.toThrow('gone');
    await expect(counter.count(task(COUNTRIES), { ...waiting(), late: gone.signal })).rejects.toThrow();
    expect(await counter.count(task(COUNTRIES), waiting())).toMatchObject([{ size: 1 }]);
  });

  it('are shared with a second thread if there are many sessions, and memory for their columns twice', async () => {
    const run = jest.spyOn(counter['threads'], 'run');
    const many = { ...task(COUNTRIES, COUNTRIES), ...sessionsWithoutPages(200_000) };
    const threadsFor = async (columns: number) => {
      run.mockClear();
      const [one, other] = await counter.count(many, { ...waiting(), columns });
      expect([one, other]).toEqual([expect.objectContaining({ size: 0 }), expect.objectContaining({ size: 0 })]);
      return run.mock.calls.length;
    };
    const { limit } = counter.memory.state;
    expect(await threadsFor(1)).toBe(2);
    expect(counter.memory.state.used).toBe(0);
    expect(await threadsFor(limit)).toBe(1);
    run.mockRestore();
  });

  it('are read from a cache that has metrics', async () => {
    expect(await metrics.text()).toContain('ledgerline_query_cache_bytes 0');
  });
});

describe('types counted from rollups', () => {
  it('are counted here where these are few bytes, else in a thread, and alike', async () => {
    const run = jest.spyOn(counter['threads'], 'run');
    const few = await counter.count(rollupTask(1), waiting());
    expect(run).toHaveBeenCalledTimes(0);
    const many = await counter.count(rollupTask(8_000), waiting());
    expect(run.mock.calls.length).toBeGreaterThan(0);
    run.mockRestore();
    expect(few[1]).toMatchObject({
      failure: expect.objectContaining({ message: expect.stringContaining('no_such_rollup') as string }) as Error,
    });
    expect(few.map((each) => 'failure' in each || plain(each)['pageviews'])).toEqual([[50], true]);
    expect(many.map((each) => 'failure' in each || plain(each)['pageviews'])).toEqual([[400_000], true]);
  });

  it('are alike from what large parts were pre-aggregated into for the next question', async () => {
    const { rollups, plans } = rollupTask(0);
    const size = 60_000;
    const from = (valueOf: (row: number) => number) => Int32Array.from({ length: size }, (_, row) => valueOf(row));
    const rows = [
      from((row) => rollups.since + Math.floor(row / 20_000)),
      from((row) => row % 7_000),
      from((row) => row),
    ];
    const visitors = [from(() => 1), from((row) => row % 3), from((row) => row % 5)];
    const bytes = inSharedMemory(
      encodeRollupPart(layoutOf(rollupNamed('pages')), { size, columns: [...rows, ...visitors] }),
    );
    const days = { since: rollups.since, until: rollups.since + 1 };
    const taskOf = (...pages: readonly RollupBytes[]) => ({
      plans,
      rollups: { ...rollups, ...days, of: 'site', packs: { [PAGES]: pages, [VIEWS]: [] } },
    });
    const packs = ['1', '2'].map((number) => ({ numbers: [number], bytes, isByDay: true }));
    const whole = await counter.count(taskOf(...packs), waiting());
    await counter['preAggregating'];
    const name = preAggregateColumn(PAGES, days);
    const preAggregateOf = (...numbers: string[]): RollupBytes => {
      return { numbers, bytes: counter.cache.find(keyOfParts('site', numbers), name)!, isByDay: false };
    };
    const one = preAggregateOf('1');
    const other = preAggregateOf('2');
    const both = preAggregateOf('1', '2');
    expect(both.bytes.length).toBeLessThan(bytes.length / 2);
    expect(Buffer.from(counter.cache.find('site', preAggregatedNumbers(PAGES, days))!).toString()).toBe('1 2');
    for (const some of [[one, other], [both], [one, packs[1]!]]) {
      const again = await counter.count(taskOf(...some), waiting());
      expect(plain(again[0])).toEqual(plain(whole[0]));
    }
    expect(plain(whole[0])['pageviews']).toHaveLength(100);
  });

  it('are dropped when the client has gone', async () => {
    const gone = new AbortController();
    const counting = counter.count(rollupTask(1), { ...waiting(), signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(counting).rejects.toThrow('gone');
  });
});

const PAGES = rollupNamed('pages').name;
const VIEWS = rollupNamed('views').name;
const COUNTRIES = aggregate(viewsBy('country'));
const PAGE_LIST: CountPlan = { kind: 'rank', of: aggregate(AGGREGATES.pages), by: ['pageviews', 'visitors'] };
const UNKNOWN = aggregate({ ...AGGREGATES.pages, rollup: 'no_such_rollup', by: { value: 'no_such_field' } });
const waiting = () => ({ signal: new AbortController().signal, late: new AbortController().signal, columns: 0 });

function tasksOf(plans: readonly CountPlan[]): readonly PlanTask[] {
  const { from, to } = queryContext();
  const request = someRequest({ from, to, top: 100 });
  return plans.map((plan) => ({ plan, request, lookup: [] }));
}

/** Three sessions of a page view each, two of them of one visitor. */
function task(...plans: readonly CountPlan[]): Omit<SessionsTask, 'isDropped'> {
  const column = (...values: readonly number[]) => encodeIntegers(Int32Array.from(values));
  const views = Buffer.concat([column(1, 1, 1), ALL_ZERO, column(4, 5, 4), ALL_ZERO, ALL_ZERO]);
  const columns = new Map<PackedColumn, Uint8Array>([
    ['visitor', column(0, 1, 0)],
    ['first_at', column(1, 2, 3)],
    ['duration_ms', ALL_ZERO],
    ['flags', ALL_ZERO],
    ['country', column(7, 7, 7)],
    ['views', views],
  ]);
  return {
    wanted: { fields: ['visitor', 'first_at', 'duration_ms', 'flags', 'country'], units: ['views'] },
    rows: { day: Int32Array.of(dayNumber('2026-03-03')), size: Int32Array.of(3) },
    pieces: [{ from: 0, to: 1, columns }],
    slices: [],
    plans: tasksOf(plans),
  };
}

function sessionsWithoutPages(count: number): Pick<SessionsTask, 'rows' | 'pieces'> {
  const { rows, pieces } = task();
  const names = pieces.flatMap(({ columns }) => [...columns.keys()]);
  const columns = new Map(names.map((name) => [name, ALL_ZERO]));
  return { rows: { ...rows, size: Int32Array.of(count) }, pieces: [{ from: 0, to: 1, columns }] };
}

function inSharedMemory(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** So many parts of fifty page views of a page. */
function rollupTask(times: number): Omit<RollupTask, 'isDropped'> {
  const day = dayNumber('2026-03-03');
  const ofHours = [[day], [7], [50], [24], Array<number>(24).fill(0), Array<number>(24).fill(2)];
  const columns = ofHours.map((column) => Int32Array.from(column));
  const pack = encodeRollupPart(layoutOf(rollupNamed('pages')), { size: 1, columns });
  const shared = inSharedMemory(pack);
  const packs = {
    [PAGES]: Array.from({ length: times }, (_, nth) => ({ numbers: [`${nth}`], bytes: shared, isByDay: true })),
    [VIEWS]: [],
  };
  const plans = tasksOf([PAGE_LIST, UNKNOWN]);
  return { rollups: { since: day, until: day, of: 'site', byDay: new Set(), packs }, plans };
}

function plain(counted: unknown): Record<string, number[]> {
  const { columns } = counted as ColumnTable;
  return Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, [...values]]));
}
