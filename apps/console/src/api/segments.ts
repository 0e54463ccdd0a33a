import { dataOf } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client';

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
