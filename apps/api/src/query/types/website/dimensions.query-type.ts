import { aggregate } from '@ledgerline/aggregation/aggregation';
import type { Aggregate } from '@ledgerline/contracts/aggregates/aggregate';
import { AGGREGATES, viewsBy } from '@ledgerline/contracts/aggregates/website-aggregates';
import { ATTRIBUTES, LISTED_ATTRIBUTES, type AttributeList } from '@ledgerline/contracts/attributes';
import { count, labelsOf, percent } from '../../declaration/fields';
import { OF_ALL_VISITORS, listQueryType } from '../../declaration/list-type';
import type { QueryType } from '../../declaration/query-type';

const ofPages = { category: 'Pages' };

/** Page views and visitors by the value of one dimension: the path of a page, or an attribute of the session. */
export const websiteDimensions: readonly QueryType[] = [
  dimension('path', AGGREGATES.pages, ATTRIBUTES.path.list),
  dimension('path', AGGREGATES.entries, {
    ...ofPages,
    type: 'entry_pages',
    description: 'First pages of sessions; pageviews = sessions that entered there',
  }),
  dimension('path', AGGREGATES.exits, {
    ...ofPages,
    type: 'exit_pages',
    description: 'Last pages of sessions; pageviews = sessions that left there',
  }),
  dimension('path', AGGREGATES.pages, {
    ...ofPages,
    type: 'page_performance',
    withoutPercentage: true,
    publicAccess: false,
    description: 'Page views and visitors by page; load timing is in vitals_by_page',
  }),
  dimension('referrer', viewsBy('referrer', true), {
    category: 'Traffic',
    type: 'top_referrers',
    description: 'Top referrers, direct visits left out',
  }),
  ...LISTED_ATTRIBUTES.map((name) => dimension(name, viewsBy(name), ATTRIBUTES[name].list)),
];

function dimension(
  by: string,
  counted: Aggregate,
  { type, category, description, publicAccess = true, withoutPercentage }: Omit<AttributeList, 'title' | 'header'>,
): QueryType {
  return listQueryType({
    name: type,
    category,
    description,
    publicAccess,
    labels: labelsOf(by),
    fields: { pageviews: count, visitors: count, ...(withoutPercentage ? {} : { percentage: percent }) },
    order: ['visitors', 'pageviews'],
    count: aggregate(counted),
    ...(withoutPercentage ? {} : { share: OF_ALL_VISITORS }),
  });
}
