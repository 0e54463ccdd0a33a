import { randomUUID } from 'node:crypto';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import { widthOfHit } from '@ledgerline/contracts/read-models/event-kinds';
import type { ReadModel, ReadModelColumns } from '@ledgerline/contracts/read-models/read-model';
import { HIT, sessions } from '@ledgerline/contracts/read-models/sessions';
import { timeBuckets, instantsOf } from '@ledgerline/domain/query/buckets';
import { openPool, run, type Queryable } from '@ledgerline/platform/database/pool';
import { type Sql, identifier, joinSql, sql, textHash } from '@ledgerline/platform/database/sql';
import type { SqlRow } from '../../apps/api/src/query/declaration/fields';
import type { QueryContext } from '../../apps/api/src/query/declaration/query-context';
import { createTestDatabase } from '../postgres/test-database';
import { createEmptyReadModels, LINK_MODELS, MONITOR_MODELS } from './read-models';

/** A database with read models to be filled row by row. */
export interface SqlDatabase {
  /** Columns that are not given are 0, '', false, null or empty; a uuid is a new one. */
  insert<Columns extends ReadModelColumns>(model: ReadModel<Columns>, rows: readonly Given<Columns>[]): Promise<void>;
  /** The dictionary ids of texts of website 1. */
  texts(texts: readonly string[]): Promise<number[]>;
  run(query: Sql): Promise<SqlRow[]>;
  readonly pool: Queryable;
  readonly url: string;
  close(): Promise<void>;
}

type Given<Columns extends ReadModelColumns> = Readonly<Partial<Record<keyof Columns & string, unknown>>>;

export async function openSqlDatabase(): Promise<SqlDatabase> {
  const database = await createTestDatabase();
  const pool = openPool({ url: database.url, name: 'spec', max: 1 });
  await createEmptyReadModels(pool);
  return {
    async insert(model, rows) {
      for (const row of rows) {
        const columns = Object.entries(model.columns).map(([name, { type }]) => [name, row[name] ?? emptyOf(type)]);
        const names = columns.map(([name]) => identifier(name as string));
        const values = columns.map(([, value]) => sql`${value}`);
        await run(pool, sql`insert into ${tableOf(model)} (${joinSql(names, ', ')}) values (${joinSql(values, ', ')})`);
      }
    },
    async texts(texts) {
      const hashes = texts.map(textHash);
      const added = sql`insert into dictionary (scope, hash, text) select 1, * from unnest(${hashes}::uuid[], ${texts}::text[]) returning id`;
      return (await run<{ id: number }>(pool, added)).map(({ id }) => id);
    },
    run: (query) => run<SqlRow>(pool, query),
    pool,
    url: database.url,
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

const tableOf = ({ name }: ReadModel): Sql => {
  const isOf = (models: readonly ReadModel[]) => models.some((model) => model.name === name);
  return identifier(isOf(LINK_MODELS) ? 'links_v1' : isOf(MONITOR_MODELS) ? 'monitors_v1' : 'websites_v1', name);
};

function emptyOf(type: string): unknown {
  if (type.endsWith('?')) return null;
  if (type.endsWith('[]')) return [];
  if (type === 'uuid') return randomUUID();
  if (type === 'boolean') return false;
  return type === 'text' ? '' : 0;
}

/**
 * Returns what a query type is answered from: three closed days of website 1 and link_1, long over, unless something
 * else is given.
 */
export function queryContext(given: Partial<QueryContext> = {}): QueryContext {
  const days = { startDate: given.startDate ?? '2026-03-02', endDate: given.endDate ?? '2026-03-04' };
  const { zone = 'UTC', granularity = 'daily', now = Date.parse('2026-06-01T00:00:00Z') } = given;
  return {
    website: 1,
    targetId: 'link_1',
    ids: [given.targetId ?? 'link_1'],
    isPaused: false,
    ...days,
    ...instantsOf(days, zone),
    ownZone: zone,
    zone,
    granularity,
    buckets: timeBuckets(days, zone, granularity, now),
    now,
    page: { page: 1, limit: 100 },
    isLimited: false,
    sort: null,
    filters: [],
    shareFilters: [],
    metricFilters: [],
    minSamples: 1,
    table: tableOf,
    rollups: new Set(ROLLUPS.map(({ name }) => name)),
    expired: null,
    options: {},
    did: [],
    visitorIdentity: 'stable',
    includedQuarter: now,
    ...given,
  };
}

interface Hit {
  /** ISO 8601 */
  readonly at: string;
  readonly kind?: keyof typeof HIT;
  readonly path?: number;
  readonly hostname?: number;
  /** The first of the fields of its kind. */
  readonly textId?: number;
}

type SessionRow = Given<(typeof sessions)['columns']>;

/** A session of website 1 with these hits, in their order; page views unless they say otherwise. */
export function session(hits: readonly Hit[], given: SessionRow = {}): SessionRow {
  const id = randomUUID();
  const visitor = 'visitor' in given ? given.visitor : randomUUID();
  const views = hits.filter(({ kind = 'view' }) => kind === 'view');
  const first = views[0];
  const last = views.at(-1);
  return {
    website: 1,
    actor: visitor ?? id,
    session: id,
    visitor,
    first_at: hits[0]?.at,
    last_at: hits.at(-1)?.at,
    entered_at: first?.at,
    pageviews: views.length,
    custom_events: hits.filter(({ kind }) => kind === 'custom').length,
    outgoing_links: hits.filter(({ kind }) => kind === 'outgoing').length,
    bounced: views.length === 1,
    duration_ms: first && last ? Date.parse(last.at) - Date.parse(first.at) : 0,
    entry_path: first?.path,
    exit_path: last?.path,
    hit_at: hits.map(({ at }) => at),
    hit_id: hits.map(() => randomUUID()),
    hit_kind: hits.map(({ kind = 'view' }) => HIT[kind]),
    hit_path: hits.map(({ path = 0 }) => path),
    hit_hostname: hits.map(({ hostname = 0 }) => hostname),
    hit_values: hits.flatMap(({ kind = 'view', textId = 0 }) => [
      textId,
      ...Array.from({ length: widthOfHit(HIT[kind]) - 1 }, () => 0),
    ]),
    ...given,
  };
}
