import type { QueryType } from '../../apps/api/src/query/declaration/query-type';
import type { Find } from '../query/answer-type';
import { pageOf, type RandomRequest } from './asked-requests';
import { firstDifference } from './compare';
import type { NaiveRequest } from './naive-request';
import type { Row } from './naive-website-answers';

/** @throws Error where the page or the number of rows is not as expected */
export async function checkAnswer(
  type: QueryType,
  find: Find,
  { page, limit }: RandomRequest,
  { naive, expected }: { naive: NaiveRequest; expected: Row[] | undefined },
): Promise<void> {
  if (!expected) throw new Error(`The oracle does not know ${type.name}: write down its definition first.`);
  const { rows, total } = await find(type);
  const difference =
    firstDifference(rows, pageOf(type, expected, page, limit)) ??
    (isTotal(type, total, expected.length) ? undefined : `${total} rows in all`);
  if (difference) throw new Error(`${type.name} for ${JSON.stringify(naive)} page ${page} of ${limit}: ${difference}`);
}

const isTotal = ({ shape }: QueryType, total: number | undefined, length: number): boolean =>
  shape === 'list' ? total === length : total === undefined;
