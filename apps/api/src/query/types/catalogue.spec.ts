import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { ValueFilter } from '@ledgerline/aggregation/scope';
import { METRIC_FILTER, isIdFilter } from '@ledgerline/contracts/attributes';
import type { Granularity } from '@ledgerline/domain/query/buckets';
import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { openPool } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { planned, runOn } from '@test/query/answer-type';
import { createEmptyReadModels } from '@test/query/read-models';
import { queryContext } from '@test/query/sql-database';
import { count, type ResultField } from '../declaration/fields';
import type { QueryContext } from '../declaration/query-context';
import { queryType, type QueryType, type SqlSource } from '../declaration/query-type';
import { findRows } from '../execution/answer';
import { type ExecutorName, type PlannedQuery, readsOfType } from '../execution/executors';
import { sqlFor } from '../execution/run-sql';
import { CATALOGUE } from './catalogue';

describe('the catalogue of query types', () => {
  it('has every type of the contract', () => {
    const names = CATALOGUE.map(({ name }) => name);
    expect([...WEBSITE, ...LINK, ...MONITOR].filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => ![...WEBSITE, ...LINK, ...MONITOR].includes(name))).toEqual([]);
  });

  it('says how long each answer goes on that depends on what is included by now', () => {
    const planAt = ({ takes, counting }: QueryType, includedQuarter: number) => {
      const plan = counting?.plan;
      const asked = queryContext({ options: takes.example ?? {}, includedQuarter });
      return JSON.stringify(typeof plan === 'function' ? plan(asked) : plan);
    };
    const goesOn = CATALOGUE.filter((type) => planAt(type, 0) !== planAt(type, 900_000));
    expect(goesOn.map(({ name }) => name)).toContain('funnel_by_day');
    expect(goesOn.filter(({ takes }) => !takes.goesOnFor).map(({ name }) => name)).toEqual([]);
  });

  const publicTypes = CATALOGUE.filter(({ publicAccess }) => publicAccess);

  it.each(publicTypes.map((type) => [type.name, type] as const))(
    'shows no single visitor, session or event, and no value of a property, in public: %s',
    (_, { about, fields, takes, sources }) => {
      expect(about).toBe('website');
      expect(Object.keys(fields).filter((name) => OF_ONE.includes(name))).toEqual([]);
      expect({ ids: takes.ids, singles: sources.singles }).toEqual({ ids: [], singles: undefined });
    },
  );

  const ranked = CATALOGUE.filter(({ shape, order }) => shape === 'list' && order[0]?.direction === 'desc');

  it.each(ranked.map((type) => [type.name, type] as const))(
    'orders ties by every further count, in the order of the fields, but visitors before page views: %s',
    (_, { fields, order }) => {
      const counts = Object.keys(fields).filter((name) => fields[name]?.type === 'integer');
      // shares of what is counted come before
      const ofCounts = order.filter(({ field }) => fields[field]?.type !== 'number');
      const texts = ofCounts.slice(counts.length).map(({ field }) => fields[field]?.type);
      expect(ofCounts.slice(0, counts.length)).toEqual(inOrder(counts).map((field) => ({ field, direction: 'desc' })));
      expect(new Set(texts)).toEqual(new Set(['string']));
    },
  );

  it('has no more than 14 members in a type', () => {
    const members = new Set(CATALOGUE.flatMap((type) => Object.keys(type)));
    expect(members.size).toBeLessThanOrEqual(14); // what one type needs alone belongs to its sources, fields or options
  });

  it('has the fields that no public type may show', () => {
    const names = new Set(CATALOGUE.flatMap(({ fields }) => Object.keys(fields)));
    expect(OF_ONE.filter((name) => !names.has(name))).toEqual([]);
  });
});

/** Fields of rows about one visitor, session or event, and what visitors and programs write into events. */
const OF_ONE: readonly string[] = [
  ...['visitor_id', 'session_id', 'event_id', 'profile_id', 'display_name'],
  ...['time', 'timestamp', 'first_visit', 'last_visit', 'events'],
  ...['properties', 'property_key', 'property_value'],
  ...['message', 'stack', 'filename', 'lineno', 'colno'],
];

const WEBSITE: readonly string[] = [
  ...['summary_metrics', 'today_metrics', 'active_stats', 'events_by_date'],
  ...['top_pages', 'entry_pages', 'exit_pages', 'page_performance', 'page_time_analysis'],
  ...['traffic_sources', 'top_referrers', 'channels'],
  ...['utm_sources', 'utm_mediums', 'utm_campaigns', 'utm_terms', 'utm_content'],
  ...['browser_name', 'browser_versions', 'os_name', 'device_types', 'screen_resolutions', 'language', 'timezone'],
  ...['country', 'region', 'city'],
  ...['recent_errors', 'error_summary', 'error_types', 'errors_by_page', 'error_trends'],
  ...['vitals_overview', 'vitals_by_page', 'vitals_time_series'],
  ...['session_metrics', 'session_list', 'session_duration_distribution', 'session_flow', 'session_events'],
  ...['sessions_by_device', 'sessions_by_browser', 'sessions_time_series'],
  ...['custom_events', 'custom_events_trends', 'custom_event_properties', 'custom_events_by_path'],
  ...['custom_events_recent', 'profile_list', 'profile_detail', 'profile_sessions'],
  ...['outbound_links', 'outbound_domains', 'downloads'],
  ...[
    'goals',
    'goals_by_day',
    'goal_by',
    'revenue',
    'link_conversions',
    'funnel',
    'funnel_by_day',
    'funnel_visitors',
    'retention',
    'journeys',
    'annotations',
  ],
  ...['scroll_depth_summary', 'scroll_depth_distribution', 'page_scroll_performance', 'interaction_summary'],
  ...['frustration_by_page', 'form_abandonment_by_page', 'engagement_quality_by_page'],
  ...[
    'realtime_pages',
    'realtime_referrers',
    'realtime_countries',
    'realtime_feed',
    'realtime_sessions',
    'realtime_velocity',
  ],
];

const LINK: readonly string[] = [
  ...[
    'link_total_clicks',
    'link_unique_clicks',
    'link_last_click',
    'link_clicks_by_day',
    'link_referrers_by_day',
    'link_countries_by_day',
  ],
  ...['link_top_referrers', 'link_top_countries', 'link_top_regions', 'link_top_cities'],
  ...['link_top_devices', 'link_top_browsers'],
];

const MONITOR: readonly string[] = ['uptime_summary', 'uptime_by_day', 'response_times'];

const WITH_SQL = CATALOGUE.filter(({ sources }) => sources.facts ?? sources.fifteenMinutes);

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
    const query = planned(type, context, executor);
    const { rows, total } = await findRows(query, executionOf(query));
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
    const query = planned(type, sample([]));
    await expect(findRows(query, executionOf(query))).rejects.toThrow('The rows have no column pageviews.');
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
const executionOf = ({ task }: PlannedQuery) => runOn(pool, { counted: task ? [task] : [] });

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

function expectEmpty(type: QueryType, row: AnswerRow): void {
  for (const [name, field] of Object.entries(type.fields)) {
    if (name === 'minute') expect(row[name]).toMatch(/:00\.000Z$/);
    else if (name === 'date') expect(row[name]).toMatch(/^\d{4}-\d{2}-\d{2}( \d{2}:00:00)?$/);
    else expect(row[name]).toBe(emptyOf(field));
  }
}

const emptyOf = ({ type, nullable }: ResultField) => (nullable ? null : type === 'string' ? '' : 0);

/** Each type by each executor, by day and, where it has a time axis, by hour; with filters too where it may have some. */
function variants(): { type: QueryType; executor: ExecutorName; context: QueryContext }[] {
  // test/oracle/goals.spec.ts asks those that have to be told what to count
  return CATALOGUE.filter(({ takes }) => takes.options.length === 0).flatMap((type) =>
    executorsOf(type).flatMap((executor) => {
      const filters = executor === 'facts' || executor === 'sessionColumns' ? [[], filtersOf(type)] : [[]];
      const granularities: Granularity[] =
        type.shape === 'series' && executor !== 'rollups' ? ['daily', 'hourly', 'weekly', 'monthly'] : ['daily'];
      return filters.flatMap((some) =>
        granularities.map((granularity) => ({ type, executor, context: sample(some, granularity) })),
      );
    }),
  );
}

function executorsOf({ sources, counting }: QueryType): ExecutorName[] {
  return [
    ...(sources.facts ? ['facts' as const] : []),
    ...(sources.fifteenMinutes ? ['fifteenMinutes' as const] : []),
    ...(counting ? ['sessionColumns' as const] : []),
    ...(counting && readsOfType(counting)?.rollups ? ['rollups' as const] : []),
  ];
}

/** A filter on every field. */
function filtersOf({ about, takes }: QueryType): ValueFilter[] {
  return takes.filters.map((field, at) => {
    if (isIdFilter(field)) return { field, values: ['f'.repeat(32)], negated: false };
    return { field, values: about === 'website' ? [0, 7] : ['', 'x'], negated: at % 2 === 1 };
  });
}

/** Three days of a zone with a clock change, the last of which is not over. */
function sample(filters: readonly ValueFilter[], granularity: Granularity = 'daily'): QueryContext {
  const days = { startDate: '2026-03-28', endDate: '2026-03-30' };
  const now = Date.parse('2026-03-29T20:00:00Z');
  const isOfMetrics = ({ field }: ValueFilter) => field === METRIC_FILTER;
  const others = filters.filter((filter) => !isOfMetrics(filter));
  const metricFilters = filters.filter(isOfMetrics);
  return queryContext({ ...days, zone: 'Europe/Berlin', now, granularity, filters: others, metricFilters });
}

function render(type: QueryType): string {
  const ids = filtersOf(type).filter(({ field }) => isIdFilter(field));
  const page = filtersOf(type).filter(({ field }) => field === 'path');
  const visit = filtersOf(type).filter(({ field }) => field === 'country');
  return (Object.keys(type.sources) as (keyof QueryType['sources'])[])
    .filter((source): source is SqlSource => source === 'facts' || source === 'fifteenMinutes')
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

const inOrder = (counts: readonly string[]): readonly string[] =>
  counts[0] === 'pageviews' && counts[1] === 'visitors' ? ['visitors', 'pageviews', ...counts.slice(2)] : counts;
