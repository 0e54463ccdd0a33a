import type { RowOf } from '@ledgerline/client';
import { figuresQuery, type QueryScope } from './figures';

/** The subject of annotations: a website or a link. */
export type AnnotationSubject = { readonly organizationId: string } & (
  | { readonly websiteId: string; readonly linkId?: never }
  | { readonly linkId: string; readonly websiteId?: never }
);

/** An annotation, or what the audit log knows. */
export type Happened = RowOf<'annotations'>;

/** The most that is drawn: the newest. */
const MAX_DRAWN = 1_000;

/** Returns what happened to a website or link on some days, the newest first. */
export const annotationsQuery = (
  { websiteId: website, linkId: link }: Partial<AnnotationSubject>,
  days: Pick<QueryScope, 'startDate' | 'endDate' | 'timezone'>,
) => {
  const scope = { website, link, ...days, sortBy: 'at', limit: MAX_DRAWN } as QueryScope; // one of both
  return { ...figuresQuery(scope, { name: 'annotations' }), queryKey: ['annotations', scope] };
};
