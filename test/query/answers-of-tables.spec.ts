import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Filter } from '@ledgerline/contracts/definitions';
import { GROUP_TABLES } from '@ledgerline/contracts/group-tables';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Granularity } from '@ledgerline/domain/query/buckets';
import { addDays, dayOf } from '@ledgerline/domain/time/zones';
import { declarationDdl } from '@ledgerline/platform/database/read-model-tables';
import { identifier } from '@ledgerline/platform/database/sql';
import { partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { TableRebuilding } from '@ledgerline/platform/table-versions/live-tables';
import type { QueryAbout, QueryType } from '../../apps/api/src/query/declaration/query-type';
import { contextOf, findRows, pageOfRows } from '../../apps/api/src/query/execution/answer';
import { planQuery } from '../../apps/api/src/query/execution/executors';
import { lookUpFilters } from '../../apps/api/src/query/execution/filters';
import { readSnapshot } from '../../apps/api/src/query/snapshot/snapshot';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import { arrivals } from '../../tools/traffic/arrivals';
import { observe, type Subjects } from '../../tools/traffic/observe';
import { root } from '../docs/documents';
import { monitorCheck } from '../monitors/random-checks';
import { runOn } from './answer-type';
import { openProjectedDatabase, PARTITIONS, type ProjectedDatabase } from './projected-database';
import { sealDays } from './seal-days';

const SUBJECTS: Subjects = {
  organizationId: 'org_1',
  websiteId: 'site_1',
  linkId: 'link_1',
  domain: 'example.com',
  zone: 'UTC',
  identity: 'stable',
};
const IDS: Readonly<Record<QueryAbout, string>> = { website: 'site_1', link: 'link_1', monitor: 'mon_1' };
const ABOUT = { websites: 'website', links: 'link', monitors: 'monitor' } as const;

const FILE = join(root, 'libs/contracts/src/read-models/answers-of-tables.ts');

it('what a start says that would be missing is what is not answered without each table', async () => {
  const entries: string[] = [];
  for (const group of ['websites', 'links', 'monitors'] as const)
    for (const model of GROUP_TABLES[group].builds) {
      const types = CATALOGUE.filter(({ about }) => about === ABOUT[group]);
      await declare(group, model, false);
      const plain = await missing(types, false);
      const filtered = (await missing(types, true)).filter((name) => !plain.includes(name));
      await declare(group, model, true);
      expect(await missing(types, false)).toEqual([]);
      if (plain.length + filtered.length > 0) entries.push(entryOf(model, plain, filtered.length > 0));
    }
  const written = `${HEAD}${entries.join('')}};\n`;
  if (process.env['UPDATE_DOCS']) writeFileSync(FILE, written);
  expect(readFileSync(FILE, 'utf8')).toBe(written); // stale: UPDATE_DOCS=1 npx jest test/query/answers-of-tables
}, 300_000);

const HEAD = `/** Query types that are not answered without a table, by its name; filtered: nor are others with filters, or by hour. Written by a test. */
export const ANSWERS_OF_TABLES: Readonly<Record<string, { readonly types: string; readonly isFiltered?: true }>> = {
`;

const entryOf = ({ name }: ReadModel, types: readonly string[], isFiltered: boolean) =>
  `  ${name}: { types: '${types.join(' ')}'${isFiltered ? ', isFiltered: true' : ''} },\n`;

async function missing(types: readonly QueryType[], isFiltered: boolean): Promise<readonly string[]> {
  const names: string[] = [];
  for (const type of types) if (!type.sources.own && !(await isAnswered(type, isFiltered))) names.push(type.name);
  return names;
}

const isAnswered = (type: QueryType, isFiltered: boolean): Promise<boolean> =>
  answer(type, isFiltered).then(
    () => true,
    (error: unknown) => {
      if (error instanceof TableRebuilding) return false;
      throw error;
    },
  );

/** Alone, as what is asked together is read together; with a filter by hour instead of by day. */
async function answer(type: QueryType, isFiltered: boolean): Promise<void> {
  const { pool } = database;
  const { about, takes } = type;
  const id = IDS[about];
  const target = { about, id, name: id, isPaused: false, zone: 'UTC', visitorIdentity: 'stable', publicOnly: false };
  const partitions = [partitionOf(id, PARTITIONS)];
  const snapshot = await readSnapshot({ client: pool, main: pool, partitions }, target, now);
  const wanted: Filter[] = takes.ids.map((field) => ({ field, op: 'eq', value: 'f'.repeat(32) }));
  if (isFiltered && takes.filters.includes('country')) wanted.push({ field: 'country', op: 'eq', value: 'DE' });
  const filters = await lookUpFilters(pool, { target, filters: wanted }, snapshot);
  const today = dayOf(now, 'UTC');
  const options = takes.options.length > 0 ? (takes.example ?? {}) : {};
  const granularity: Granularity = isFiltered ? 'hourly' : 'daily';
  const range = { startDate: addDays(today, -6), endDate: today, granularity };
  const parameter = { type, ...range, limit: 10, isLimited: true, minSamples: undefined, minutes: undefined, options };
  const asked = { target, zone: 'UTC', page: 1, sort: null, segment: null };
  const context = contextOf(parameter, asked, filters, snapshot);
  const query = planQuery(type, context);
  const execution = runOn(pool, { snapshot, counted: query.task ? [query.task] : [] });
  await pageOfRows(type, context, (await findRows(query, execution)).rows);
  execution.aggregates.release();
}

/** A table without its declaration is that of another program. */
async function declare(group: keyof typeof ABOUT, model: ReadModel, isDeclared: boolean) {
  const schema = `${group}_v1`;
  const ddl = isDeclared
    ? declarationDdl(schema, model)
    : `comment on table ${identifier(schema, model.name).text} is null`;
  await database.pool.query(`${ddl}; update projection_groups set layout = gen_random_uuid() where name = '${group}'`);
}

let database: ProjectedDatabase;
let now: number;
beforeAll(async () => {
  database = await openProjectedDatabase();
  const plan = { seed: 7, end: Date.parse('2026-03-29T14:00:00Z'), days: 7, visitors: 60, visits: 150 };
  const events = [...arrivals(plan)].flat().map((arrival) => observe(arrival, SUBJECTS));
  now = Math.max(...events.map(({ at }) => at)) + 1_000;
  const isClick = ({ type }: { type: string }) => type === 'LinkClicked';
  await database.send(
    'site_1',
    events.filter((event) => !isClick(event)),
    5_000,
  );
  await database.send('link_1', events.filter(isClick), 5_000);
  await database.send('mon_1', [
    monitorCheck('mon_1', now - 3_600_000, { up: true, durationMs: 100, intervalSeconds: 300 }),
  ]);
  const today = Math.floor(now / 86_400_000);
  await sealDays(database.pool, 'site_1', (day) => day < today - 1);
}, 120_000);
afterAll(() => database.close());
