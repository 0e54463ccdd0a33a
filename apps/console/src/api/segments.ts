import { queryOptions } from '@tanstack/react-query';
import { recordsQuery } from './records';

interface OfWebsite {
  readonly organizationId: string;
  readonly websiteId: string;
}

/** The segments that a website may be filtered by: its own, and those of the organization. */
export const segmentsQuery = ({ organizationId, websiteId }: OfWebsite) =>
  queryOptions({
    ...recordsQuery('/v1/segments', { organizationId }),
    select: (all) => all.filter((each) => each.websiteId === null || each.websiteId === websiteId),
  });
