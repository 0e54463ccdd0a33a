import { dataOf, type operations, type NewLinkDto, type UpdateLinkDto } from '@ledgerline/client';
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from './client';

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

export const linkQuery = (id: string) =>
  queryOptions({
    queryKey: ['link', id],
    queryFn: ({ signal }) => dataOf(client.GET('/v1/links/{id}', { params: { path: { id } }, signal })),
  });

export function useCreateLink(organizationId: string) {
  const refreshLinks = useRefreshLinks();
  return useMutation({
    mutationFn: (link: NewLinkDto) => dataOf(client.POST('/v1/links', { body: { organizationId, ...link } })),
    onSuccess: refreshLinks,
  });
}

/** Each link is created or refused by itself; the same batch again, after a failure, creates what is missing. */
export function useCreateLinks(organizationId: string) {
  const refreshLinks = useRefreshLinks();
  return useMutation({
    mutationFn: (links: NewLinkDto[]) => dataOf(client.POST('/v1/links/bulk', { body: { organizationId, links } })),
    onSuccess: refreshLinks,
  });
}

interface LinkChange {
  readonly id: string;
  /** Of the link as it was shown: a change by others in between is not overwritten. */
  readonly revision: number;
  readonly changes: UpdateLinkDto;
}

export function useUpdateLink() {
  const refreshLinks = useRefreshLinks();
  return useMutation({
    mutationFn: ({ id, revision, changes }: LinkChange) =>
      dataOf(
        client.PATCH('/v1/links/{id}', {
          params: { path: { id }, header: { 'If-Match': String(revision) } },
          body: changes,
        }),
      ),
    onSuccess: refreshLinks,
  });
}

export function useDeleteLink() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => dataOf(client.DELETE('/v1/links/{id}', { params: { path: { id } } })),
    // its own page is shown until it is left
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['links'], refetchType: 'all' }),
  });
}

function useRefreshLinks(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await Promise.all(
      ['links', 'link'].map((key) => queryClient.invalidateQueries({ queryKey: [key], refetchType: 'all' })),
    );
  };
}
