import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Granularity } from '@ledgerline/domain/query/buckets';
import type { Row } from '@ledgerline/domain/query/rows';
import { openPool } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { counting } from '@test/query/answer-type';
import { createEmptyReadModels } from '@test/query/read-models';
import { queryContext } from '@test/query/sql-database';
import { count, type Field } from '../fields';
import type { ValueFilter } from '@ledgerline/domain/counting/asked';
import { isIdFilter, METRIC_FILTER, queryType, type QueryContext, type QueryType, type Source } from '../query-type';
import { RequestCounts } from '../session-columns/request-counts';
import { CATALOGUE } from '../types/catalogue';
import { findRows, sqlFor } from './find-rows';
import type { Executor } from './plan';

const WITH_SQL = CATALOGUE.filter(({ sources }) => Object.keys(sources).length > 0);

describe('every query type', () => {
  it('has a name of its own and describes itself', () => {
    expect(new Set(CATALOGUE.map(({ name }) => name)).size).toBe(CATALOGUE.length);
    for (const { name, description, category } of CATALOGUE) {
      expect(name).toMatch(/^[a-z][a-z_]*$/);
      expect([description, category]).not.toContain('');
    }
  });

  it.each(variants())('$type.name by $executor answers nothing with zeros, nulls and no rows', async (variant) => {
    const { type, context, executor } = variant;
    const { rows, total } = await findRows(pool, type, context, { ...origin(), executor });
    expect(total).toBe(type.shape === 'list' ? lengthOfNothing(type, context) : undefined);
    expect(rows).toHaveLength(lengthOfNothing(type, context));
    for (const row of rows) expectEmpty(type, row);
  });

  it('fails where its SQL lacks a column that it declares', async () => {
    const type = queryType({
      name: 'mistyped',
      about: 'website',
      shape: 'totals',
      category: 'Spec',
      description: 'Its alias is not the name of its field',
      fields: { pageviews: count },
      sources: { facts: () => sql`select 1::float8 as pageview` },
    });
    await expect(findRows(pool, type, sample([]), origin())).rejects.toThrow('The rows have no column pageviews.');
  });

  it.each(WITH_SQL)('$name is checked in as the SQL it renders', (type) => {
    const rendered = render(type);
    const file = join(FOLDER, `${type.name}.sql`);
    if (process.env.UPDATE_RENDERED) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, rendered);
    }
    expect(readFileSync(file, 'utf8')).toBe(rendered); // stale: run with UPDATE_RENDERED=1 and read the difference
  });

  it('is all there is of rendered SQL', () =>
    expect(readdirSync(FOLDER).sort()).toEqual(WITH_SQL.map(({ name }) => `${name}.sql`).sort()));
});

const FOLDER = join(__dirname, '../../../../../test/query/rendered');

let database: TestDatabase;
let pool: Pool;
const origin = () => ({ main: pool, counts: new RequestCounts({ ...counting(), client: pool }, []) });

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool({ url: database.url, name: 'spec', max: 2 });
  await createEmptyReadModels(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A series has a row for each bucket, totals have one, and lists none, except of minutes. */
function lengthOfNothing({ name, shape }: QueryType, { buckets }: QueryContext): number {
  if (name === 'realtime_velocity') return 60;
  return { series: buckets.length, totals: 1, list: 0 }[shape];
}

function expectEmpty(type: QueryType, row: Row): void {
  for (const [name, field] of Object.entries(type.fields)) {
    if (name === 'minute') expect(row[name]).toMatch(/:00\.000Z$/);
    else if (name === 'date') expect(row[name]).toMatch(/^\d{4}-\d{2}-\d{2}( \d{2}:00:00)?$/);
    else expect(row[name]).toBe(emptyOf(field));
  }
}

const emptyOf = ({ type, nullable }: Field) => (nullable ? null : type === 'string' ? '' : 0);

/** Each type by each executor, by day and, where it has a time axis, by hour; with filters too where it may have some. */
function variants(): { type: QueryType; executor: Executor; context: QueryContext }[] {
  return CATALOGUE.flatMap((type) =>
    executorsOf(type).flatMap((executor) => {
      const filters = executor === 'facts' || executor === 'sessionColumns' ? [[], filtersOf(type)] : [[]];
      const granularities: Granularity[] =
        type.granularity && executor !== 'keptCounts' ? ['daily', 'hourly'] : ['daily'];
      return filters.flatMap((some) =>
        granularities.map((granularity) => ({ type, executor, context: sample(some, granularity) })),
      );
    }),
  );
}

function executorsOf({ sources, sessionColumns }: QueryType): Executor[] {
  return [
    ...(sources.facts ? ['facts' as const] : []),
    ...(sources.fifteenMinutes ? ['rollups' as const] : []),
    ...(sessionColumns ? ['sessionColumns' as const] : []),
    ...(sessionColumns?.kept ? ['keptCounts' as const] : []),
  ];
}

/** A filter on every field. */
function filtersOf({ about, allowedFilters }: QueryType): ValueFilter[] {
  return allowedFilters.map((field, at) => {
    if (isIdFilter(field)) return { field, values: ['f'.repeat(32)], negated: false };
    return { field, values: about === 'website' ? [0, 7] : ['', 'x'], negated: at % 2 === 1 };
  });
}

/** Three days of a zone with a clock change, the last of which is not over. */
function sample(filters: readonly ValueFilter[], granularity: Granularity = 'daily'): QueryContext {
  const days = { startDate: '2026-03-28', endDate: '2026-03-30' };
  const now = Date.parse('2026-03-29T20:00:00Z');
  const isOfMetrics = ({ field }: ValueFilter) => field === METRIC_FILTER;
  const [others, metricFilters] = [filters.filter((filter) => !isOfMetrics(filter)), filters.filter(isOfMetrics)];
  return queryContext({ ...days, zone: 'Europe/Berlin', now, granularity, filters: others, metricFilters });
}

function render(type: QueryType): string {
  const ids = filtersOf(type).filter(({ field }) => isIdFilter(field));
  const page = filtersOf(type).filter(({ field }) => field === 'path');
  const visit = filtersOf(type).filter(({ field }) => field === 'country');
  return (Object.keys(type.sources) as Source[])
    .flatMap((source) => {
      const kinds: [string, ValueFilter[]][] =
        source === 'facts'
          ? [
              ['', ids],
              [', filtered by path and country', [...ids, ...page, ...visit]],
            ]
          : [['', []]];
      return kinds.map(([how, filters]) => {
        const { text } = sqlFor(type, sample(filters), source);
        return `-- from ${source}${how}\n${text.trim().replaceAll(/\n\s*\n/g, '\n')};\n`;
      });
    })
    .join('\n');
}
