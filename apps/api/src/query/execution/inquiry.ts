import { bucketsOf, instantsOf } from '@ledgerline/domain/query/buckets';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { textFilters, wordFilters } from './filters';
import { LINK_FILTERS } from '../types/link/filters';
import type { LinkQuestion, Question, WebsiteQuestion } from '../question';
import type { ResolvedParameter, ResolvedRequest } from '../request/resolve-request';
import type { Snapshot } from './snapshot';
import type { Subject } from '../request/subject';
import { WEBSITE_FILTERS } from '../types/website/filters';

/** What all questions of a request share; its filters are looked up once. */
export type Inquiry = Pick<WebsiteQuestion, 'about' | 'website' | 'ownZone' | 'filters'> | LinkInquiry;
type LinkInquiry = Pick<LinkQuestion, 'about' | 'link' | 'filters'>;

export async function inquiryAbout(
  on: Queryable,
  { about, id, zone }: Subject,
  { table, website }: Pick<Snapshot, 'table' | 'website'>,
  { filters }: Pick<ResolvedRequest, 'filters'>,
): Promise<Inquiry> {
  const known: readonly string[] = about === 'website' ? WEBSITE_FILTERS : LINK_FILTERS;
  const usable = filters.filter(({ field }) => known.includes(field)); // others fail the entries they are asked of
  if (about === 'link') return { about, link: id, filters: await textFilters(on, { table, link: id }, usable) };
  return { about, website, ownZone: zone, filters: await wordFilters(on, website, usable) };
}

/** One parameter of a request as a question. */
export function questionFor(
  inquiry: Inquiry,
  {
    type,
    startDate,
    endDate,
    granularity,
    limit,
  }: Pick<ResolvedParameter, 'type' | 'startDate' | 'endDate' | 'granularity' | 'limit'>,
  { timezone: zone, page, sortBy, sortOrder }: Pick<ResolvedRequest, 'timezone' | 'page' | 'sortBy' | 'sortOrder'>,
  { table, now }: Pick<Snapshot, 'table'> & { readonly now: number },
): Question {
  const days = { startDate, endDate };
  return {
    ...inquiry,
    ...days,
    ...instantsOf(days, zone),
    zone,
    granularity,
    buckets: type.shape === 'series' ? bucketsOf(days, zone, granularity, now) : [],
    now,
    page: { page, limit },
    sort: sortBy === undefined ? null : { field: sortBy, direction: sortOrder ?? 'desc' },
    table,
  };
}
