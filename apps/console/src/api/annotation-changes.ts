import { dataOf, type CreateAnnotationDto, type UpdateAnnotationDto } from '@ledgerline/client';
import { client, useChange } from './client';

export const useCreateAnnotation = () =>
  useChange((body: CreateAnnotationDto) => dataOf(client.POST('/v1/annotations', { body })), 'annotations');

export const useChangeAnnotation = (id: string) =>
  useChange(
    (body: UpdateAnnotationDto) => dataOf(client.PATCH('/v1/annotations/{id}', { params: { path: { id } }, body })),
    'annotations',
  );

export const useDeleteAnnotation = (id: string) =>
  useChange(() => dataOf(client.DELETE('/v1/annotations/{id}', { params: { path: { id } } })), 'annotations');
