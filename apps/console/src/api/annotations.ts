import { dataOf, type AnnotationDto } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client';

/** What annotations are about: a website or a link. */
export type AnnotationSubject = { readonly organizationId: string } & (
  | { readonly websiteId: string; readonly linkId?: never }
  | { readonly linkId: string; readonly websiteId?: never }
);

/** The annotations of a website or link, and those of everything in its organization. */
export const annotationsQuery = ({ organizationId, websiteId, linkId }: AnnotationSubject) =>
  queryOptions({
    queryKey: ['annotations', organizationId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/annotations', { params: { query: { organizationId } }, signal }))).data,
    select: (all) =>
      all.filter((each) => isOfAll(each) || each.websiteId === (websiteId ?? '') || each.linkId === (linkId ?? '')),
  });

export const isOfAll = ({ websiteId, linkId }: Pick<AnnotationDto, 'websiteId' | 'linkId'>): boolean =>
  websiteId === null && linkId === null;
