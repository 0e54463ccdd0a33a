import { dataOf, type CreateSegmentDto, type UpdateSegmentDto } from '@ledgerline/client';
import { client, useChange } from './client';

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
