import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { count } from '../declaration/fields';
import { heapRoom, memoryOf, MemoryBudget, RequestMemory } from './memory-budget';

const metrics = () => new Metrics();
/** Without texts. */
const columns = (bytes: number) => ({ columns: bytes, texts: 0, rows: 0, answers: 0 });
/** About 1 KB. */
const FIELDS = Object.fromEntries(['path', 'a', 'b', 'c', 'd'].map((name) => [name, count]));
const stays = new AbortController().signal;

describe('the memory of questions', () => {
  it('is given in the order in which it is asked for, also where a smaller amount would fit', async () => {
    const budget = new MemoryBudget(columns(100), metrics());
    const order = [] as string[];
    const take = async (name: string, bytes: number) => {
      const giveBack = await budget.take(columns(bytes), stays);
      order.push(name);
      return giveBack;
    };
    const first = await take('first', 60);
    const second = take('second', 60);
    const third = take('third', 10);
    await Promise.resolve();
    expect(order).toEqual(['first']);
    first();
    (await second)();
    await third;
    expect(order).toEqual(['first', 'second', 'third']);
  });

  it('may be taken only if it is free', async () => {
    const budget = new MemoryBudget(columns(100), metrics());
    const giveBack = await budget.take(columns(60), stays);
    expect(budget.takeIfFree({ columns: 41 })).toBeUndefined();
    expect(budget.takeIfFree({ columns: 40 })).toBeDefined();
    giveBack();
    expect(budget.takeIfFree({ columns: 60 })).toBeDefined();
  });

  it('is given back once', async () => {
    const budget = new MemoryBudget(columns(100), metrics());
    const giveBack = await budget.take(columns(100), stays);
    giveBack();
    giveBack();
    await budget.take(columns(100), stays);
    const waiting = new AbortController();
    const more = budget.take(columns(1), waiting.signal);
    waiting.abort(new Error('The time is over.'));
    await expect(more).rejects.toThrow('The time is over.');
  });

  it('goes to the next one when a question leaves that waited', async () => {
    const budget = new MemoryBudget(columns(100), metrics());
    await budget.take(columns(60), stays);
    const leaving = new AbortController();
    const left = budget.take(columns(60), leaving.signal);
    const next = budget.take(columns(40), stays);
    leaving.abort(new Error('The client has gone.'));
    await expect(left).rejects.toThrow('The client has gone.');
    expect(typeof (await next)).toBe('function');
  });

  it('is refused by name to a question that never fits', async () => {
    const budget = new MemoryBudget(columns(10 * 1024 * 1024), metrics());
    const refused = budget.take(columns(11 * 1024 * 1024), stays);
    await expect(refused).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(refused).rejects.toThrow('11 MB of the 10 MB');
    await budget.take(columns(10 * 1024 * 1024), stays);
  });

  it('of one kind is given while another kind is waited for', async () => {
    const budget = new MemoryBudget({ ...columns(100), rows: 10_000_000 }, metrics());
    await budget.take(columns(100), stays);
    void budget.take(columns(1), stays);
    expect(typeof (await budget.take({ rows: 1 }, stays))).toBe('function');
  });

  it('is not waited for by a request that holds some, so that no two wait for each other', async () => {
    const budget = new MemoryBudget({ ...columns(0), rows: 10_000_000 }, metrics());
    const one = new RequestMemory(budget);
    const other = new RequestMemory(budget);
    await one.takeRows(5_000, FIELDS, () => stays);
    await one.takeRows(1_000, FIELDS, () => stays); // so few are not counted
    const waiting = other.takeRows(6_000, FIELDS, () => stays);
    await expect(one.takeRows(6_000, FIELDS, () => stays)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    one.release();
    await waiting;
  });

  it.each([
    ['of a machine with plenty', 4_096 + 96, ['--max-semi-space-size=32'], 3_986],
    ['of a small one, by the semi-space that V8 chooses', 256 + 48, [], 146],
    [
      'as an eighth, where the process itself takes the rest',
      96 + 12,
      ['--max_semi_space_size=64', '--max-semi-space-size=4'],
      12,
    ],
  ])('is the room in the heap %s', (_, limit, options, room) => {
    const mib = 1024 * 1024;
    expect(heapRoom(limit * mib, options) / mib).toBe(room);
  });

  it('is shown as metrics', async () => {
    const own = metrics();
    const budget = new MemoryBudget(columns(100), own);
    await budget.take(columns(70), stays);
    void budget.take(columns(50), stays);
    const text = await own.registry.metrics();
    expect(text).toContain('ledgerline_query_memory_limit_bytes{of="columns"} 100');
    expect(text).toContain('ledgerline_query_memory_bytes{of="columns"} 70');
    expect(text).toContain('ledgerline_query_memory_waiting 1');
  });

  it('grows with sessions, fields and units, and has texts of those that are read from their table', () => {
    const wanted = { fields: ['visitor', 'country'], units: ['views'] } as const;
    const { columns: packed, texts } = memoryOf({ packed: 1_000, unpacked: 0 }, wanted);
    expect(texts).toBe(0);
    expect(memoryOf({ packed: 2_000, unpacked: 0 }, wanted).columns).toBe(2 * packed);
    const more = memoryOf({ packed: 1_000, unpacked: 0 }, { ...wanted, units: ['views', 'visits'] });
    expect(more.columns).toBeGreaterThan(packed);
    expect(memoryOf({ packed: 0, unpacked: 1_000 }, wanted)).toMatchObject({ columns: packed, texts: 1_024_000 });
  });
});
