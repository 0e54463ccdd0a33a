import { dataOf } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client';
import { recordChanges } from './record-changes';

/** The tags of an organization, by name. */
export const tagsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['tags', organizationId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/tags', { params: { query: { organizationId } }, signal }))).data,
    select: (tags) => tags.toSorted((a, b) => a.name.localeCompare(b.name)),
  });

/** Links are read again, too: a deleted tag is on none of them. */
export const {
  useCreate: useCreateTag,
  useUpdate: useChangeTag,
  useDelete: useDeleteTag,
} = recordChanges('/v1/tags', 'tags', 'links', 'link');
