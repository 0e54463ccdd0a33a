import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { dataOf, type operations } from '@ledgerline/client';
import { client } from './client';

export type LinkListFilter = Omit<
  operations['links_list']['parameters']['query'],
  'organizationId' | 'page' | 'cursor' | 'limit'
>;

type LinkSort = NonNullable<LinkListFilter['sort']>;

export const LINK_SORT_OPTIONS = [
  '-createdAt',
  'createdAt',
  '-updatedAt',
  'updatedAt',
  'name',
  '-name',
] as const satisfies readonly LinkSort[];

/** The number of links in one request. */
const PAGE = 100;

/** The links of an organization, page after page. */
export const linksQuery = (organizationId: string, filter: LinkListFilter) =>
  infiniteQueryOptions({
    queryKey: ['links', organizationId, filter],
    queryFn: ({ signal, pageParam: cursor }) =>
      dataOf(
        client.GET('/v1/links', { params: { query: { organizationId, ...filter, limit: PAGE, cursor } }, signal }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

const FOUND = 8;

/** The links that have all words of a text in their name, slug or destination; the newest first, and no more than a few. */
export const foundLinksQuery = (organizationId: string, search: string) =>
  queryOptions({
    queryKey: ['links', organizationId, 'found', search],
    queryFn: async ({ signal }) => {
      const query = { organizationId, search, limit: FOUND };
      return (await dataOf(client.GET('/v1/links', { params: { query }, signal }))).data;
    },
    placeholderData: keepPreviousData,
    enabled: search !== '',
  });

/** The newest links with parameters of a campaign in their destination. */
export const campaignLinksQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['links', organizationId, 'campaigns'],
    queryFn: async ({ signal }) => {
      const query = { organizationId, search: 'utm', limit: 100 };
      return (await dataOf(client.GET('/v1/links', { params: { query }, signal }))).data;
    },
  });

export const linkQuery = (id: string) =>
  queryOptions({
    queryKey: ['link', id],
    queryFn: ({ signal }) => dataOf(client.GET('/v1/links/{id}', { params: { path: { id } }, signal })),
  });
