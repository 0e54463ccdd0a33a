import { queryOptions } from '@tanstack/react-query';
import { recordsQuery } from './records';

/** The tags of an organization, by name. */
export const tagsQuery = (organizationId: string) =>
  queryOptions({
    ...recordsQuery('/v1/tags', { organizationId }),
    select: (tags) => tags.toSorted((a, b) => a.name.localeCompare(b.name)),
  });
