import { queryOptions } from '@tanstack/react-query';
import { dataOf, type NewLinkDto, type operations } from '@ledgerline/client';
import { client, useChange } from './client';

/** A change of links, after which they are read again. */
const useLinkChange = <Result, Body>(send: (body: Body) => Promise<Result>) => useChange(send, 'links', 'link');

/** Each link is created or refused by itself; the same batch again, after a failure, creates what is missing. */
export const useCreateLinks = (organizationId: string) =>
  useLinkChange((links: NewLinkDto[]) => dataOf(client.POST('/v1/links/bulk', { body: { organizationId, links } })));

type TagLinks = Omit<operations['taggedLinks_create']['requestBody']['content']['application/json'], 'organizationId'>;

/** Each link is changed or refused by itself; the same change again, after a failure, changes what is missing. */
export const useTagLinks = (organizationId: string) =>
  useLinkChange((body: TagLinks) => dataOf(client.POST('/v1/links/bulk/tags', { body: { organizationId, ...body } })));

/**
 * Returns what a page says about itself; nothing while the address is none, and as before while its parameters are
 * typed.
 */
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
