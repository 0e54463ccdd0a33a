import { dataOf, type CreateSavedViewDto, type UpdateSavedViewDto } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client, useChange } from './client';

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

export const useSaveView = () =>
  useChange((body: CreateSavedViewDto) => dataOf(client.POST('/v1/saved-views', { body })), KIND);

interface ViewChange {
  readonly id: string;
  readonly body: UpdateSavedViewDto;
}

export const useReplaceView = () =>
  useChange(
    ({ id, body }: ViewChange) => dataOf(client.PATCH('/v1/saved-views/{id}', { params: { path: { id } }, body })),
    KIND,
  );

export const useDeleteView = () =>
  useChange((id: string) => dataOf(client.DELETE('/v1/saved-views/{id}', { params: { path: { id } } })), KIND);
