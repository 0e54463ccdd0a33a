import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { newestPageOf, pageOf, sortRows, type Row } from '@ledgerline/domain/query/rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { numberIn } from '../found';
import { sqlFor, type Source } from './planner';
import type { Found, QueryType } from '../query-type';
import type { Question } from '../question';

/** The rows of a page. `limited` = the limit was asked for; only then it cuts a series. */
export async function answer(
  on: Queryable,
  type: QueryType,
  question: Question,
  { limited, source }: { limited: boolean; source?: Source },
): Promise<Row[]> {
  if (type.shape === 'series' && question.buckets.length === 0) return [];
  const found = await run<Found>(on, sqlFor(type, question, source));
  return pageOfRows(type, question, rowsOf(type, question, found), limited);
}

function rowsOf(type: QueryType, question: Question, found: readonly Found[]): Row[] {
  switch (type.shape) {
    case 'totals':
      return [type.row(found[0] ?? {}, question)];
    case 'series': {
      const byBucket = new Map(found.map((row) => [numberIn(row, 'bucket'), row]));
      return question.buckets.map(({ label }, at) => ({
        date: label,
        ...type.row(byBucket.get(at + 1) ?? {}, question),
      }));
    }
    case 'list':
      return found.map((row) => type.row(row, question));
  }
}

function pageOfRows(type: QueryType, question: Question, rows: Row[], limited: boolean): Row[] {
  const { sort, page } = question;
  if (type.shape === 'totals' || type.sortedBySql) return rows;
  if (type.shape === 'series' && !sort) return limited ? newestPageOf(rows, page) : rows;
  const sorted = sortRows(rows, [...(sort ? [sort] : []), ...type.order]);
  return type.shape === 'series' && !limited ? sorted : pageOf(sorted, page);
}

/** @throws Problem when the type cannot do what the request wants of it */
export function checkWishes(type: QueryType, filters: readonly { field: string }[], sortBy: string | undefined): void {
  const unknown = filters.find(({ field }) => !type.allowedFilters.includes(field));
  if (unknown) {
    const allowed = type.allowedFilters.join(', ');
    throw new Problem('VALIDATION_ERROR', `${type.name} has no filter ${unknown.field}; it has ${allowed}.`);
  }
  const sortable = type.sortedBySql ?? Object.keys(type.fields);
  if (sortBy !== undefined && type.shape !== 'totals' && !sortable.includes(sortBy)) {
    throw new Problem(
      'VALIDATION_ERROR',
      `${type.name} cannot be sorted by ${sortBy}; it can by ${sortable.join(', ')}.`,
    );
  }
}
