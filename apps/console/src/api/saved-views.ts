import { dataOf } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client';
import { recordChanges } from './record-changes';

interface OfWebsite {
  readonly organizationId: string;
  readonly websiteId: string;
}

const KIND = 'saved-views';

/** The saved views of a website; of private ones of other people only that they exist. */
export const savedViewsQuery = ({ organizationId, websiteId }: OfWebsite) =>
  queryOptions({
    queryKey: [KIND, websiteId],
    queryFn: async ({ signal }) => {
      const params = { query: { organizationId, websiteId } };
      return (await dataOf(client.GET('/v1/saved-views', { params, signal }))).data;
    },
  });

export const {
  useCreate: useSaveView,
  useUpdate: useReplaceView,
  useDelete: useDeleteView,
} = recordChanges('/v1/saved-views', KIND);
