import { dataOf, type CreateTagDto, type UpdateTagDto } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client, useChange } from './client';

/** The tags of an organization, by name. */
export const tagsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['tags', organizationId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/tags', { params: { query: { organizationId } }, signal }))).data,
    select: (tags) => tags.toSorted((a, b) => a.name.localeCompare(b.name)),
  });

export const useCreateTag = () => useChange((body: CreateTagDto) => dataOf(client.POST('/v1/tags', { body })), 'tags');

interface TagChange {
  readonly id: string;
  readonly body: UpdateTagDto;
}

export const useChangeTag = () =>
  useChange(
    ({ id, body }: TagChange) => dataOf(client.PATCH('/v1/tags/{id}', { params: { path: { id } }, body })),
    'tags',
  );

/** Links are read again, which have it no more. */
export const useDeleteTag = () =>
  useChange(
    (id: string) => dataOf(client.DELETE('/v1/tags/{id}', { params: { path: { id } } })),
    ...['tags', 'links', 'link'],
  );
