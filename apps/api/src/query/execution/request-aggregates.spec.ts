import { join, type CountPlan } from '@ledgerline/aggregation/plan';
import { encodeRollupPart } from '@ledgerline/aggregation/rollup-codec';
import { layoutOf } from '@ledgerline/aggregation/rollup-part';
import { countTask } from '@ledgerline/aggregation/tasks';
import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { sessionDays } from '@ledgerline/contracts/read-models/session-days';
import { dayNumber } from '@ledgerline/domain/time/zones';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { runOn } from '@test/query/answer-type';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { count, nullableField, textField } from '../declaration/fields';
import { byCounts, queryType } from '../declaration/query-type';
import { ColumnCache } from '../session-columns/column-cache';
import { MemoryBudget } from '../session-columns/memory-budget';
import { QueryDeadline } from '../snapshot/request-lifetime';
import type { QueryMeans } from '../snapshot/snapshot';
import { TableTexts } from '../sql/dictionary';
import { queryTypeNamed } from '../types/catalogue';
import { type AggregateTask, RequestAggregates } from './request-aggregates';

let on: SqlDatabase;
beforeAll(async () => (on = await openSqlDatabase()));
afterAll(() => on.close());

const FILTERS = [{ field: 'country', values: [7], negated: false }];
const asked = (name: string, startDate: string): AggregateTask => {
  const from = Date.parse(`${startDate}T00:00Z`);
  const context = queryContext({ filters: FILTERS, startDate, from });
  const type = queryTypeNamed(name)!;
  return { type, context, from: 'sessionColumns', plan: type.counting!.plan as CountPlan, isTotal: false };
};

describe('the types of a request', () => {
  it('are counted together where they have the same range', async () => {
    const [tasks, counter] = counting();
    const types = [asked('country', '2026-03-02'), asked('top_pages', '2026-03-03'), asked('city', '2026-03-02')];
    const counts = new RequestAggregates(run(counter), types);
    for (const each of types) expect(await counts.rowsOf(each)).toEqual([]);
    expect(tasks).toEqual([['country', 'city'], ['top_pages']]);
  });

  it('fail one by one where they cannot be counted together', async () => {
    const [tasks, counter] = counting(1);
    const types = [asked('country', '2026-03-02'), asked('city', '2026-03-02')];
    const counts = new RequestAggregates(run(counter), types);
    await expect(counts.rowsOf(types[0]!)).rejects.toThrow('is busy');
    expect(await counts.rowsOf(types[1]!)).toEqual([]);
    expect(tasks).toHaveLength(2);
  });

  it('are answered that the time is over when it ended a task', async () => {
    const [, counter] = counting(1);
    const times = [0, 29_999, 30_000];
    const deadline = new QueryDeadline(() => times.shift() ?? 0);
    const late: QueryMeans['counter'] = {
      ...counter,
      count: (_, until) =>
        new Promise((__, reject) => until.late.addEventListener('abort', () => reject(new Error('ended')))),
    };
    const country = asked('country', '2026-03-02');
    const counts = new RequestAggregates({ ...run(late), deadline }, [country]);
    await expect(counts.rowsOf(country)).rejects.toThrow('30 seconds');
  });
});

describe('the memory of a request', () => {
  beforeAll(() =>
    on.insert(sessionDays, [
      {
        website: 1,
        day: '2026-02-10',
        size: 1_000,
        countries: [7],
        last_at: new Date('2026-02-10T12:00Z'),
        version: 1,
      },
    ]),
  );
  const inFebruary = () => asked('country', '2026-02-10');

  it('is counted before anything is read of what never fits', async () => {
    const [tasks, counter] = counting(0, 50_000);
    const task = inFebruary();
    const counts = new RequestAggregates(run(counter), [task]);
    await expect(counts.rowsOf(task)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect([tasks, counter.cache.size]).toEqual([[], 0]);
  });

  it('is given back after what was counted, and after a failure', async () => {
    const [, counter] = counting(1, 1_000_000); // enough for two at once
    for (let nth = 0; nth < 5; nth++) {
      const task = inFebruary();
      const counting = new RequestAggregates(run(counter), [task]).rowsOf(task);
      if (nth === 0) await expect(counting).rejects.toThrow('is busy');
      else expect(await counting).toEqual([]);
    }
  });
});

describe('what is counted from rollups', () => {
  beforeAll(() =>
    on.insert(websiteRollups, [
      { website: 1, number: 1, since: DAY, until: DAY, [rollupNamed('pages').name]: partOf([7, 5]) },
    ]),
  );

  it('is read at once for all ranges and totals, and counted by range', async () => {
    const [tasks, counter] = counting();
    const statements = jest.spyOn(on.pool, 'query');
    const types = [
      ofRollups('top_pages', '2026-03-02'),
      ofRollups('top_pages', '2026-03-01'),
      ofRollups('session_list', '2026-03-02'),
    ];
    const counts = new RequestAggregates(run(counter), types);
    const [pages, earlier, total] = types as [AggregateTask, AggregateTask, AggregateTask];
    expect(await counts.totalOf(total)).toBe(0);
    expect(await counts.rowsOf(pages)).toMatchObject([{ pageviews: 5, visitors: 5, total_rows: 1 }]);
    expect(await counts.rowsOf(earlier)).toMatchObject([{ pageviews: 5, visitors: 5, total_rows: 1 }]);
    expect(tasks).toEqual([['top_pages', 'session_list'], ['top_pages']]);
    const texts = statements.mock.calls.map(([statement]) => JSON.stringify(statement));
    statements.mockRestore();
    expect(texts.filter((text) => text.includes('website_rollups'))).toHaveLength(2); // which rows there are, and columns
  });

  it('is read again where that failed', async () => {
    const pages = ofRollups('top_pages', '2026-03-02');
    const counts = new RequestAggregates(run(counting()[1]), [pages]);
    const failing = jest.spyOn(on.pool, 'query').mockRejectedValueOnce(new Error('is busy') as never);
    await expect(counts.rowsOf(pages)).rejects.toThrow('is busy');
    failing.mockRestore();
    expect(await counts.rowsOf(pages)).toHaveLength(1);
  });
});

describe('a list of which many rows differ by their texts alone', () => {
  const PAGES = 4_000;
  const names = Array.from({ length: PAGES }, (_, nth) => `/page/${(nth * 7_919) % PAGES}`);
  const page = (nth: number): AggregateTask => {
    const { context, ...asked } = ofRollups('top_pages', '2026-03-02');
    return { ...asked, context: { ...context, website: 2, page: { page: nth, limit: 5 } } };
  };
  const shownOf = (nth: number) => names.toSorted().slice(5 * (nth - 1), 5 * nth);
  let rows: object[];

  beforeAll(async () => {
    const ids = await on.texts(names);
    const columns = [ids.map(() => DAY), ids, ...[1, 1, 0, 1].map((value) => ids.map(() => value))];
    const pack = { size: PAGES, columns: columns.map((column) => Int32Array.from(column)) };
    const bytes = Buffer.from(encodeRollupPart(layoutOf(rollupNamed('pages')), pack));
    rows = [{ website: 2, number: 1, since: DAY, until: DAY, [rollupNamed('pages').name]: bytes }];
    await on.insert(websiteRollups, rows);
  });

  it('has those of the page, of many that are equal', async () => {
    for (const nth of [1, 3]) {
      const task = page(nth);
      const found = await new RequestAggregates(run(counting()[1]), [task]).rowsOf(task);
      expect(found.length).toBeLessThan(100);
      expect(found.map(({ text }) => text)).toEqual(expect.arrayContaining(shownOf(nth)));
      expect(found[0]).toMatchObject({ total_rows: PAGES });
    }
  });

  it('is refused in another order where there is no memory for all of its rows', async () => {
    const all: AggregateTask = {
      ...page(1),
      context: { ...page(1).context, sort: { field: 'name', direction: 'desc' } },
    };
    const little = new RequestAggregates(run(counting(0, 1e9, 1e6)[1]), [all]);
    await expect(little.rowsOf(all)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    const enough = new RequestAggregates(run(counting()[1]), [all]);
    expect(await enough.rowsOf(all)).toHaveLength(PAGES);
  });
});

const DAY = dayNumber('2026-03-03');

const ofRollups = (name: string, startDate: string): AggregateTask => {
  const context = queryContext({ startDate, from: Date.parse(`${startDate}T00:00Z`) });
  const type = queryTypeNamed(name)!;
  const { total } = type.sources.singles ?? {};
  const plan = total ?? (type.counting!.plan as CountPlan);
  return { type, context, from: 'rollups', plan, isTotal: total !== undefined };
};

/** Returns the part of a value with so many page views, each by another visitor. */
function partOf([value, views]: readonly [number, number]): Buffer {
  const columns = [[DAY], [value], [views], [1], [0], [views]].map((column) => Int32Array.from(column));
  return Buffer.from(encodeRollupPart(layoutOf(rollupNamed('pages')), { size: 1, columns }));
}

const run = (counter: QueryMeans['counter']) => ({ ...runOn(on.pool), counter });

/** The names of some types, whose plans are not those of others. */
const NAMES = ['country', 'city', 'top_pages', 'session_list'];
const nameOf = (plan: CountPlan) =>
  NAMES.find((name) => {
    const {
      counting,
      sources: { singles },
    } = queryTypeNamed(name)!;
    return [counting?.plan, singles?.total].includes(plan);
  }) ?? '';

/** Counts at once, after so many failures, and the names of the types of each task. */
function counting(failures = 0, bytes = 1e9, rows = bytes): [string[][], QueryMeans['counter']] {
  const tasks: string[][] = [];
  const count: QueryMeans['counter']['count'] = async (task) => {
    tasks.push(task.plans.map(({ plan }) => nameOf(plan)));
    if (tasks.length <= failures) throw new Error('The thread is busy.');
    return Promise.resolve(countTask({ ...task, isDropped: new Int32Array(1) }));
  };
  return [
    tasks,
    {
      cache: new ColumnCache(1),
      memory: new MemoryBudget({ columns: bytes, texts: bytes, rows, answers: bytes }, new Metrics()),
      count,
    },
  ];
}

const LINKS = queryType({
  name: 'links',
  about: 'website',
  shape: 'list',
  category: 'Spec',
  description: 'Links with the text and the target that come with them',
  fields: { href: textField, label: textField, target: nullableField(textField), clicks: count },
  order: byCounts(['clicks'], 'href'),
  sources: {},
  counting: {
    plan: join([]),
    texts: { href: 'value', label: 'label', target: 'target' },
  },
});

const countedOf = (rows: readonly (readonly [value: number, label: number, targets: readonly number[] | null])[]) => ({
  size: rows.length,
  columns: {
    value: Float64Array.from(rows, ([value]) => value),
    label: Float64Array.from(rows, ([, label]) => label),
  },
  lists: { target: rows.map(([, , targets]) => targets) },
});

it('rows have the texts of their ids, of several the first by code point', async () => {
  const [href = 0, z = 0, emoji = 0, last = 0] = await on.texts(['https://a.example', 'z', '😀', '\uffff']);
  const texts = new TableTexts(on.pool);
  const counted = countedOf([
    [href, 0, [z, last, emoji]],
    [z, href, [emoji, last]],
    [emoji, z, null],
  ]);
  await texts.lookUp([[counted, LINKS]]);
  const found = (await texts.rowsOf(counted, LINKS)).map((row) => [row['href'], row['label'], row['target']]);
  expect(found).toEqual([
    ['https://a.example', '', 'z'],
    ['z', 'https://a.example', '\uffff'],
    ['😀', 'z', null],
  ]);
});

it('rows of an earlier range are left out by what they are about, whatever else they name', async () => {
  const [shop = 0, other = 0, label = 0, target = 0] = await on.texts(['/shop', '/other', 'Shop', '#buy']);
  const texts = new TableTexts(on.pool);
  await texts.lookUp([[countedOf([[shop, 0, null]]), LINKS]]);
  const earlier = countedOf([
    [other, 0, null],
    [shop, label, [target]],
  ]);
  expect((await texts.rowsOf(earlier, LINKS)).map((row) => row['href'])).toEqual(['/shop']);
});
