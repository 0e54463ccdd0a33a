import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { queryTypeNamed } from '../types/catalogue';
import { ColumnCache } from './column-cache';
import { countTask, type TaskCounter } from './counting-task';
import { RequestCounts, type AskedCount } from './request-counts';

let on: SqlDatabase;
beforeAll(async () => (on = await openSqlDatabase()));
afterAll(() => on.close());

const FILTERS = [{ field: 'country', values: [7], negated: false }];
const asked = (name: string, startDate: string): AskedCount => {
  const from = Date.parse(`${startDate}T00:00Z`);
  const context = queryContext({ filters: FILTERS, startDate, from });
  return { type: queryTypeNamed(name)!, context, from: 'sessionColumns', isTotal: false };
};

describe('the types of a request', () => {
  it('are counted together where they have the same range', async () => {
    const [tasks, counter] = counting();
    const types = [asked('country', '2026-03-02'), asked('top_pages', '2026-03-03'), asked('city', '2026-03-02')];
    const counts = new RequestCounts(origin(counter), types);
    for (const each of types) expect(await counts.rowsOf(each)).toEqual([]);
    expect(tasks).toEqual([['country', 'city'], ['top_pages']]);
  });

  it('fail one by one where they cannot be counted together', async () => {
    const [tasks, counter] = counting(1);
    const types = [asked('country', '2026-03-02'), asked('city', '2026-03-02')];
    const counts = new RequestCounts(origin(counter), types);
    await expect(counts.rowsOf(types[0]!)).rejects.toThrow('is busy');
    expect(await counts.rowsOf(types[1]!)).toEqual([]);
    expect(tasks).toHaveLength(2);
  });

  it('are answered that the time is over when it ended a task', async () => {
    const [, counter] = counting(1);
    const times = [1, 0];
    const left = () => {
      const [ms = 0] = times.splice(0, 1);
      if (ms === 0) throw new Error('out of time');
      return ms;
    };
    const late: TaskCounter = {
      ...counter,
      count: (_, until) =>
        new Promise((__, reject) => until.late.addEventListener('abort', () => reject(new Error('ended')))),
    };
    const country = asked('country', '2026-03-02');
    const counts = new RequestCounts({ ...origin(late), deadline: { left } }, [country]);
    await expect(counts.rowsOf(country)).rejects.toThrow('out of time');
  });
});

const origin = (counter: TaskCounter) => ({
  client: on.pool,
  counter,
  signal: new AbortController().signal,
  deadline: { left: () => 30_000 },
});

/** Counts at once, after so many failures, and the names of the types of each task. */
function counting(failures = 0): [string[][], TaskCounter] {
  const tasks: string[][] = [];
  const count: TaskCounter['count'] = async (task) => {
    tasks.push(task.types.map(({ name }) => name));
    if (tasks.length <= failures) throw new Error('The thread is busy.');
    return Promise.resolve(countTask({ ...task, isDropped: new Int32Array(1) }, queryTypeNamed));
  };
  return [tasks, { cache: new ColumnCache(1), count }];
}
