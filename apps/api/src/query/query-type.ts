import type { Granularity } from '@ledgerline/domain/query/buckets';
import type { Order, Row } from '@ledgerline/domain/query/rows';
import type { Sql } from '@ledgerline/platform/database/sql';
import type { Fields } from './fields';
import type { LinkQuestion, Question, WebsiteQuestion } from './question';

export interface Description {
  readonly name: string;
  readonly category: string;
  readonly meaning: string;
  /** The fields of a row, in their order. */
  readonly fields: Fields;
  readonly allowedFilters: readonly string[];
  /** May be asked anonymously of a public website. */
  readonly publicAccess: boolean;
}

/** Where an answer can come from; the planner picks one by rule. */
export interface Answers<Q extends Question> {
  /** Rollups by day of the website's own zone. */
  readonly days?: (question: Q) => Sql;
  /** Rollups by hour of the website's own zone. */
  readonly hours?: (question: Q) => Sql;
  /** Rollups by 15 minutes, which add up to the days of any zone. */
  readonly fifteenMinutes?: (question: Q) => Sql;
  readonly facts: (question: Q) => Sql;
}

/** A row as Postgres gives it. */
export type Found = Readonly<Record<string, unknown>>;

/** list: rows in an order, paged · series: one row per bucket, in the order of time · totals: exactly one row. */
export type Shape = 'list' | 'series' | 'totals';

export interface QueryType<Q extends Question = Question> extends Description {
  readonly about: Q['about'];
  readonly shape: Shape;
  readonly granularity?: readonly Granularity[];
  readonly answers: Answers<Q>;
  /** What is found becomes a row of the answer; a series says so of every bucket, with `{}` where nothing was found. */
  readonly row: (found: Found, question: Q) => Row;
  /** Lists: the stable order, unless the request names another field. */
  readonly order: readonly Order[];
  /** Lists too long to sort outside Postgres: the SQL sorts, by these fields alone, and cuts out the page. */
  readonly sortedBySql?: readonly string[];
}

type Declared<Q extends Question> = Description & Pick<QueryType<Q>, 'answers' | 'row' | 'sortedBySql'>;

const declare =
  <Q extends Question>(about: Q['about']) =>
  (declared: Declared<Q> & Pick<QueryType<Q>, 'shape' | 'order' | 'granularity'>): QueryType<Q> => ({
    about,
    ...declared,
  });

const website = declare<WebsiteQuestion>('website');
const link = declare<LinkQuestion>('link');

/** By each count descending, then by name. */
export const byCounts = (counts: readonly string[], ...names: readonly string[]): readonly Order[] => [
  ...counts.map((field) => ({ field, direction: 'desc' as const })),
  ...names.map((field) => ({ field, direction: 'asc' as const })),
];

const BOTH: readonly Granularity[] = ['hourly', 'daily'];
const IN_TIME: readonly Order[] = [{ field: 'date', direction: 'asc' }];

export const websiteList = (declared: Declared<WebsiteQuestion> & { readonly order: readonly Order[] }) =>
  website({ ...declared, shape: 'list' });
export const websiteSeries = (declared: Declared<WebsiteQuestion>) =>
  website({ ...declared, shape: 'series', granularity: BOTH, order: IN_TIME });
export const websiteTotals = (declared: Declared<WebsiteQuestion>) =>
  website({ ...declared, shape: 'totals', order: [] });

export const linkList = (declared: Declared<LinkQuestion> & { readonly order: readonly Order[] }) =>
  link({ ...declared, shape: 'list' });
export const linkSeries = (declared: Declared<LinkQuestion>) =>
  link({ ...declared, shape: 'series', granularity: BOTH, order: IN_TIME });
export const linkTotals = (declared: Declared<LinkQuestion>) => link({ ...declared, shape: 'totals', order: [] });
