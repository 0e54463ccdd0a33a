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

export type RawQuery = (website: string, start: string, end: string) => Sql;

const list =
  (column: 'path' | 'referrer' | 'country'): RawQuery =>
  (website, start, end) =>
    sql`select ${identifier(column)} as name, count(*) as pageviews, count(distinct visitor) as visitors
        from raw_pageviews where ${within(website, start, end)} group by 1 order by 2 desc, 3 desc limit 100`;

/** The same questions in plain SQL, by the name of the query type. */
export const RAW_QUERIES: Readonly<Record<string, RawQuery>> = {
  events_by_date: (website, start, end) =>
    sql`select at::date as date, count(*) as pageviews, count(distinct visitor) as visitors
        from raw_pageviews where ${within(website, start, end)} group by 1 order by 1`,
  top_pages: list('path'),
  top_referrers: list('referrer'),
  country: list('country'),
};
