import { queryOptions } from '@tanstack/react-query';
import type { QueryRequest, QueryTypeName } from '@ledgerline/client';
import { client } from './client';
import type { QueryScope } from './figures';

/** A value of an attribute, with how many visitors have it. */
interface Suggestion {
  readonly value: string;
  /** The code that filters also take for it: the code of a country, the host of a source. */
  readonly code: string;
  readonly count: number;
}

const MOST_SUGGESTIONS = 1_000;

/** The most frequent values of an attribute in a range, by the list that has them; none where it may not be read. */
export const suggestionsQuery = (scope: QueryScope, type: string) =>
  queryOptions({
    queryKey: ['suggestions', scope, type],
    queryFn: async ({ signal }): Promise<readonly Suggestion[]> => {
      const parameters = [{ name: type as QueryTypeName, limit: MOST_SUGGESTIONS }]; // declared with the attribute
      const { data } = await client.query({ ...scope, parameters } as QueryRequest, { signal });
      return (data[0]?.data ?? []).map((row) => suggestionIn(row));
    },
  });

function suggestionIn(row: object): Suggestion {
  // lists of attributes have these fields, some of them one more; visitors have other names in that of events and those of links
  const {
    name,
    country_code: code,
    referrer,
    visitors,
    unique_users: users,
    clicks,
  } = row as Readonly<Record<string, string | undefined>>;
  return { value: name ?? '', code: code ?? referrer ?? '', count: Number(visitors ?? users ?? clicks) };
}
