import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { dataOf, type NewLinkDto, type operations, type UpdateLinkDto } from '@ledgerline/client';
import { client, useChange } from './client';

export type LinkFilter = Omit<
  operations['links_list']['parameters']['query'],
  'organizationId' | 'page' | 'cursor' | 'limit'
>;

type LinkSort = NonNullable<LinkFilter['sort']>;

export const LINK_SORTS = [
  '-createdAt',
  'createdAt',
  '-updatedAt',
  'updatedAt',
  'name',
  '-name',
] as const satisfies readonly LinkSort[];

/** Of one request. */
const PAGE = 100;

/** The links of an organization, page after page. */
export const linksQuery = (organizationId: string, filter: LinkFilter) =>
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

/** What a page says about itself; nothing while the address is none, and as before while its parameters are typed. */
export const pagePreviewQuery = (organizationId: string, url: string) =>
  queryOptions({
    queryKey: ['page-preview', organizationId, url],
    queryFn: ({ signal }) =>
      dataOf(client.GET('/v1/links/preview', { params: { query: { organizationId, url } }, signal })),
    enabled: /^https?:\/\/[^\s/]+\.[^\s/.]{2,}/i.test(url),
    placeholderData: (page, before) =>
      before?.queryKey[2]?.split(/[?#]/)[0] === url.split(/[?#]/)[0] ? page : undefined,
    staleTime: Infinity,
    retry: false,
  });

export const linkQuery = (id: string) =>
  queryOptions({
    queryKey: ['link', id],
    queryFn: ({ signal }) => dataOf(client.GET('/v1/links/{id}', { params: { path: { id } }, signal })),
  });

/** A change of links, after which they are read again. */
const useLinkChange = <Result, Body>(send: (body: Body) => Promise<Result>) => useChange(send, 'links', 'link');

export const useCreateLink = (organizationId: string) =>
  useLinkChange((link: NewLinkDto) => dataOf(client.POST('/v1/links', { body: { organizationId, ...link } })));

/** Each link is created or refused by itself; the same batch again, after a failure, creates what is missing. */
export const useCreateLinks = (organizationId: string) =>
  useLinkChange((links: NewLinkDto[]) => dataOf(client.POST('/v1/links/bulk', { body: { organizationId, links } })));

interface LinkChange {
  readonly id: string;
  /** Of the link as it was shown: a change by others in between is not overwritten. */
  readonly revision: number;
  readonly changes: UpdateLinkDto;
}

export const useUpdateLink = () =>
  useLinkChange(({ id, revision, changes }: LinkChange) => {
    const params = { path: { id }, header: { 'If-Match': String(revision) } };
    return dataOf(client.PATCH('/v1/links/{id}', { params, body: changes }));
  });

/** Its own page is shown until it is left. */
export const useDeleteLink = () =>
  useChange((id: string) => dataOf(client.DELETE('/v1/links/{id}', { params: { path: { id } } })), 'links');
