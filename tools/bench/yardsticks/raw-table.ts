import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { Arrival } from '../../traffic/arrivals';

/** Page views in a straightforward schema: one row each, with indexes for the queries. */
export async function createRawTable(on: Queryable): Promise<void> {
  await dropRawTable(on); // a kept installation may have one of an interrupted run
  await run(
    on,
    sql`create table raw_pageviews (
          website text not null, at timestamptz not null, visitor uuid not null, session uuid not null,
          path text not null, referrer text, country text, device text
        )`,
  );
}

export async function dropRawTable(on: Queryable): Promise<void> {
  await run(on, sql`drop table if exists raw_pageviews`);
}

export async function indexRawTable(on: Queryable): Promise<void> {
  await run(on, sql`create index on raw_pageviews (website, at)`);
  await run(on, sql`vacuum analyze raw_pageviews`);
}

/** Humans' page views only, as they are all that is counted. */
export async function insertRaw(on: Queryable, website: string, piece: readonly Arrival[]): Promise<void> {
  const rows = piece.flatMap(({ visit, hit }) => (visit.bot === null && hit.kind === 'view' ? [{ visit, hit }] : []));
  await run(
    on,
    sql`insert into raw_pageviews
        select ${website}, * from unnest(
          ${rows.map(({ hit }) => new Date(hit.at))}::timestamptz[], ${rows.map(({ visit }) => visit.person.key)}::uuid[],
          ${rows.map(({ visit }) => visit.key)}::uuid[], ${rows.map(({ hit }) => hit.page.path)}::text[],
          ${rows.map(({ visit }) => visit.source.referrer?.host ?? null)}::text[],
          ${rows.map(({ visit }) => visit.person.place.country)}::text[],
          ${rows.map(({ visit }) => visit.person.browser.device)}::text[])`,
  );
}

const within = (website: string, start: string, end: string) =>
  sql`website = ${website} and at >= ${start}::date and at < ${end}::date + 1`;

/** A question in plain SQL. */
export interface RawQuery {
  /** Beside the name of the type. */
  readonly options?: object;
  /** The fields that both have to answer equally, of so many first rows. */
  readonly equal: readonly string[];
  readonly rows: number;
  readonly sql: (website: string, start: string, end: string) => Sql;
}

const COUNTS = { equal: ['pageviews', 'visitors'], rows: 10 };

const list = (column: 'path' | 'referrer' | 'country'): RawQuery => ({
  ...COUNTS,
  sql: (website, start, end) =>
    sql`select ${identifier(column)} as name, count(*) as pageviews, count(distinct visitor) as visitors
        from raw_pageviews where ${within(website, start, end)} group by 1 order by 3 desc, 2 desc limit 100`,
});

const STEPS = ['/', '/pricing', '/sign-up'] as const;
const view = (path: string) => ({ condition: { kind: 'page', filters: [{ field: 'path', op: 'eq', value: path }] } });

/** As it is mostly written: the first view of each page after that of the one before, so that who tries twice is lost. */
const stepSql = (website: string, before: string, path: string) => sql`
  select s.visitor, min(r.at) as at from ${identifier(before)} s join raw_pageviews r on r.website = ${website}
    and r.visitor = s.visitor and r.path = ${path} and r.at > s.at and r.at <= s.at + interval '7 days' group by 1`;

const funnel: RawQuery = {
  options: { funnel: { steps: STEPS.map(view), window: '7d' } },
  equal: ['reached'],
  rows: 1, // later steps are different, see above
  sql: (website, start, end) => sql`
    with one as (
      select visitor, min(at) as at from raw_pageviews where ${within(website, start, end)} and path = ${STEPS[0]} group by 1
    ), two as (${stepSql(website, 'one', STEPS[1])}), three as (${stepSql(website, 'two', STEPS[2])})
    select count(*) as reached from one union all select count(*) from two union all select count(*) from three`,
};

const WEEKS = 12;

const retention: RawQuery = {
  options: { period: 'week', periods: WEEKS },
  equal: ['retained'],
  rows: 5,
  sql: (website, start, end) => sql`
    with began as (
      select visitor, date_trunc('week', min(at)) as week, min(at) as at from raw_pageviews where website = ${website} group by 1
    ), came as (
      select distinct visitor, date_trunc('week', at) as week from raw_pageviews where website = ${website}
    )
    select b.week::date as cohort, (c.week::date - b.week::date) / 7 as period, count(*) as retained
    from began b join came c using (visitor)
    where b.at >= ${start}::date and b.at < ${end}::date + 1 and c.week < b.week + ${WEEKS}::int * interval '7 days'
    group by 1, 2 order by 1, 2`,
};

/** The questions in plain SQL, by the name of the query type. */
export const RAW_QUERIES: Readonly<Record<string, RawQuery>> = {
  events_by_date: {
    ...COUNTS,
    sql: (website, start, end) =>
      sql`select at::date as date, count(*) as pageviews, count(distinct visitor) as visitors
          from raw_pageviews where ${within(website, start, end)} group by 1 order by 1`,
  },
  top_pages: list('path'),
  top_referrers: { ...list('referrer'), rows: 0 }, // there the raw hosts are counted, not what they belong to
  country: list('country'),
  funnel,
  retention,
};
