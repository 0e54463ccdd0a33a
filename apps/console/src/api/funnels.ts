import { dataOf } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client';
import { recordChanges } from './record-changes';

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
export const {
  useCreate: useCreateFunnel,
  useUpdate: useChangeFunnel,
  useDelete: useDeleteFunnel,
} = recordChanges('/v1/funnels', 'funnels', 'figures');
