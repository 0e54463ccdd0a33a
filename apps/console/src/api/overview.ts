import { dataOf, type operations, type QueryTypeName, type RowOf } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client';

type Request = operations['query_overview']['requestBody']['content']['application/json'];

/** What is answered of one website or link. */
export type OverviewAnswer =
  operations['query_overview']['responses'][200]['content']['application/json']['results'][number];

/** Of one request. */
const MAX_IDS = 100;

/** The same asked of several websites or links, in one request for each hundred: their answers by id. */
export const overviewQuery = ({ ids, ...request }: Request) =>
  queryOptions({
    queryKey: ['overview', ids, request],
    queryFn: async ({ signal }) => {
      const parts = Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, at) =>
        ids.slice(at * MAX_IDS, (at + 1) * MAX_IDS),
      );
      const send = (part: string[]) =>
        dataOf(client.POST('/v1/query/overview', { body: { ...request, ids: part }, signal }));
      const answers = (await Promise.all(parts.map(send))).flatMap(({ results }) => results);
      return new Map(answers.map((answer) => [answer.id, answer]));
    },
  });

/** The most days that a query takes, but for two. */
const DAYS = 3_658;
const DAY_MS = 86_400_000;
const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** The longest range there is, whatever the time zone. */
export const ever = () => ({ startDate: dayAgo(DAYS), endDate: dayAgo(-1) });

/** The rows of one type; none where it failed alone, or is not known yet. */
export function rowsIn<Name extends QueryTypeName>(
  answer: OverviewAnswer | undefined,
  name: Name,
): readonly RowOf<Name>[] {
  const entry = answer?.data.find(({ parameter }) => parameter === name);
  return (entry?.data ?? []) as readonly unknown[] as readonly RowOf<Name>[]; // the entry of a parameter has the rows of its type
}
