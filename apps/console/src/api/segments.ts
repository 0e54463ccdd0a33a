import { dataOf, type CreateSegmentDto, type UpdateSegmentDto } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client, useChange } from './client';

interface OfWebsite {
  readonly organizationId: string;
  readonly websiteId: string;
}

/** The segments that a website may be filtered by: its own, and those of the organization. */
export const segmentsQuery = ({ organizationId, websiteId }: OfWebsite) =>
  queryOptions({
    queryKey: ['segments', organizationId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/segments', { params: { query: { organizationId } }, signal }))).data,
    select: (all) => all.filter((each) => each.websiteId === null || each.websiteId === websiteId),
  });

/** Figures of segments are asked again, too. */
const STALE = ['segments', 'figures'];

export const useCreateSegment = () =>
  useChange((body: CreateSegmentDto) => dataOf(client.POST('/v1/segments', { body })), ...STALE);

export const useChangeSegment = (id: string) =>
  useChange(
    (body: UpdateSegmentDto) => dataOf(client.PATCH('/v1/segments/{id}', { params: { path: { id } }, body })),
    ...STALE,
  );

export const useDeleteSegment = (id: string) =>
  useChange(() => dataOf(client.DELETE('/v1/segments/{id}', { params: { path: { id } } })), ...STALE);
