import { queryOptions } from '@tanstack/react-query';
import { dataOf, type paths } from '@ledgerline/client';
import { client } from './client';

/** Where records of a kind are that an organization lists whole. */
export type ListPath =
  | '/v1/websites'
  | '/v1/flags'
  | '/v1/goals'
  | '/v1/funnels'
  | '/v1/segments'
  | '/v1/saved-views'
  | '/v1/tags'
  | '/v1/monitors'
  | '/v1/status-pages'
  | '/v1/shares'
  | '/v1/destinations'
  | '/v1/alerts'
  | '/v1/reports'
  | '/v1/api-keys';

export type JsonIn<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never;
type List<Path extends ListPath> = JsonIn<paths[Path]['get']['responses'][200]>;

/** Returns the name under which what was read of a kind is kept: `status-pages`. */
export const kindAt = (path: string): string => path.slice('/v1/'.length);

/** The records of a kind of an organization, or those of one of its websites, as the api orders them. */
export const recordsQuery = <Path extends ListPath>(
  path: Path,
  { organizationId, websiteId }: { readonly organizationId: string; readonly websiteId?: string },
) => {
  const query = { organizationId, ...(websiteId !== undefined && { websiteId }) };
  return queryOptions({
    queryKey: [kindAt(path), query],
    queryFn: async ({ signal }): Promise<List<Path>['data']> =>
      (await dataOf(client.GET(path as '/v1/goals', { params: { query }, signal }))).data, // of its path
  });
};
