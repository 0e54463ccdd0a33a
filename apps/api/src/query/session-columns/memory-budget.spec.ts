import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { bytesOf, MemoryBudget } from './memory-budget';

const metrics = () => new Metrics();
const stays = new AbortController().signal;

describe('the memory of questions', () => {
  it('is given in the order in which it is asked for, also where a smaller amount would fit', async () => {
    const [budget, order] = [new MemoryBudget(100, metrics()), [] as string[]];
    const take = async (name: string, bytes: number) => {
      const giveBack = await budget.take(bytes, stays);
      order.push(name);
      return giveBack;
    };
    const first = await take('first', 60);
    const [second, third] = [take('second', 60), take('third', 10)];
    await Promise.resolve();
    expect(order).toEqual(['first']);
    first();
    (await second)();
    await third;
    expect(order).toEqual(['first', 'second', 'third']);
  });

  it('is given back once', async () => {
    const budget = new MemoryBudget(100, metrics());
    const giveBack = await budget.take(100, stays);
    giveBack();
    giveBack();
    await budget.take(100, stays);
    const waiting = new AbortController();
    const more = budget.take(1, waiting.signal);
    waiting.abort(new Error('The time is over.'));
    await expect(more).rejects.toThrow('The time is over.');
  });

  it('goes to the next one when a question leaves that waited', async () => {
    const budget = new MemoryBudget(100, metrics());
    await budget.take(60, stays);
    const leaving = new AbortController();
    const left = budget.take(60, leaving.signal);
    const next = budget.take(40, stays);
    leaving.abort(new Error('The client has gone.'));
    await expect(left).rejects.toThrow('The client has gone.');
    expect(typeof (await next)).toBe('function');
  });

  it('is refused by name to a question that never fits', async () => {
    const budget = new MemoryBudget(10 * 1024 * 1024, metrics());
    const refused = budget.take(11 * 1024 * 1024, stays);
    await expect(refused).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(refused).rejects.toThrow('11 MB of the 10 MB');
    await budget.take(10 * 1024 * 1024, stays);
  });

  it('is shown as metrics', async () => {
    const own = metrics();
    const budget = new MemoryBudget(100, own);
    await budget.take(70, stays);
    void budget.take(50, stays);
    const text = await own.registry.metrics();
    expect(text).toContain('ledgerline_query_memory_bytes{kind="budget"} 100');
    expect(text).toContain('ledgerline_query_memory_bytes{kind="used"} 70');
    expect(text).toContain('ledgerline_query_memory_waiting 1');
  });

  it('grows with sessions, fields and units, and more for those that are read from their table', () => {
    const wanted = { fields: ['visitor', 'country'], units: ['views'] } as const;
    const packed = bytesOf({ packed: 1_000, unpacked: 0 }, wanted);
    expect(bytesOf({ packed: 2_000, unpacked: 0 }, wanted)).toBe(2 * packed);
    expect(bytesOf({ packed: 1_000, unpacked: 0 }, { ...wanted, units: ['views', 'visits'] })).toBeGreaterThan(packed);
    expect(bytesOf({ packed: 0, unpacked: 1_000 }, wanted)).toBeGreaterThan(packed);
  });
});
