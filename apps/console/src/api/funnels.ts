import { dataOf, type CreateFunnelDto, type UpdateFunnelDto } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client, useChange } from './client';

interface OfWebsite {
  readonly organizationId: string;
  readonly websiteId: string;
}

/** The funnels of a website, the oldest first. */
export const funnelsQuery = ({ organizationId, websiteId }: OfWebsite) =>
  queryOptions({
    queryKey: ['funnels', websiteId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/funnels', { params: { query: { organizationId, websiteId } }, signal }))).data,
  });

/** Figures of funnels are asked again, too. */
const STALE = ['funnels', 'figures'];

export const useCreateFunnel = () =>
  useChange((body: CreateFunnelDto) => dataOf(client.POST('/v1/funnels', { body })), ...STALE);

export const useChangeFunnel = (id: string) =>
  useChange(
    (body: UpdateFunnelDto) => dataOf(client.PATCH('/v1/funnels/{id}', { params: { path: { id } }, body })),
    ...STALE,
  );

export const useDeleteFunnel = (id: string) =>
  useChange(() => dataOf(client.DELETE('/v1/funnels/{id}', { params: { path: { id } } })), ...STALE);
