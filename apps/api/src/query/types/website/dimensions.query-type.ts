import type { Attribute } from '@ledgerline/domain/sessions/session';
import { countOf } from '@ledgerline/domain/counting/count-of';
import * as counts from '@ledgerline/domain/counts/website-counts';
import { count, percent } from '../../fields';
import { labelsOf } from '../../labels';
import { listType } from '../../list-type';
import type { QueryType } from '../../query-type';
import { OF_ALL_VISITORS } from '../../share';

/** Pages of sessions; sessions are counted as page views. */
const PAGES = { path: counts.PAGES, entry_path: counts.ENTRIES, exit_path: counts.EXITS } as const;
type PageOfSession = keyof typeof PAGES;

const isPage = (by: string): by is PageOfSession => by in PAGES;

interface Options {
  /** Rows of values that are missing are left out. */
  readonly withoutMissing?: boolean;
  readonly withoutPercentage?: boolean;
  /** True by default. */
  readonly publicAccess?: boolean;
}

const KNOWN = { withoutMissing: true };
const PLAIN = { withoutPercentage: true, publicAccess: false };

/** Page views and visitors by the value of one dimension: the path of a page, or an attribute of the session. */
export const websiteDimensions: readonly QueryType[] = [
  dimension('Pages', 'top_pages', 'path', 'Page views and visitors by path'),
  dimension('Pages', 'entry_pages', 'entry_path', 'First pages of sessions; pageviews = sessions that entered there'),
  dimension('Pages', 'exit_pages', 'exit_path', 'Last pages of sessions; pageviews = sessions that left there'),
  dimension(
    'Pages',
    'page_performance',
    'path',
    'Page views and visitors by page; load timing is in vitals_by_page',
    PLAIN,
  ),
  dimension('Traffic', 'top_referrers', 'referrer', 'Top referrers, direct visits left out', KNOWN),
  dimension('Traffic', 'traffic_sources', 'referrer', 'Traffic source breakdown, with direct visits as Direct'),
  dimension('Campaigns', 'utm_sources', 'utm_source', 'Visits by utm_source', KNOWN),
  dimension('Campaigns', 'utm_mediums', 'utm_medium', 'Visits by utm_medium', KNOWN),
  dimension('Campaigns', 'utm_campaigns', 'utm_campaign', 'Visits by utm_campaign', KNOWN),
  dimension('Campaigns', 'utm_terms', 'utm_term', 'Visits by utm_term', { ...KNOWN, publicAccess: false }),
  dimension('Campaigns', 'utm_content', 'utm_content', 'Visits by utm_content', { ...KNOWN, publicAccess: false }),
  dimension('Devices', 'browser_name', 'browser_name', 'Browser usage breakdown'),
  dimension('Devices', 'browser_versions', 'browser_version', 'Browser usage by browser and version'),
  dimension('Devices', 'os_name', 'os_name', 'Operating system breakdown'),
  dimension('Devices', 'device_types', 'device_type', 'Device category (desktop, mobile, tablet, other)'),
  dimension('Devices', 'screen_resolutions', 'screen', 'Page views and visitors by screen resolution', PLAIN),
  dimension('Audience', 'language', 'language', 'Visits by language of the browser'),
  dimension('Audience', 'timezone', 'timezone', 'Visits by time zone of the visitor'),
  dimension('Geography', 'country', 'country', 'Visitors by country'),
  dimension('Geography', 'region', 'region', 'Visitors by region'),
  dimension('Geography', 'city', 'city', 'Visitors by city'),
];

function dimension(
  category: string,
  name: string,
  by: Attribute | PageOfSession,
  description: string,
  { withoutMissing = false, withoutPercentage = false, publicAccess = true }: Options = {},
): QueryType {
  return listType({
    name,
    category,
    description,
    publicAccess,
    labels: labelsOf(by),
    fields: { pageviews: count, visitors: count, ...(withoutPercentage ? {} : { percentage: percent }) },
    count: countOf(isPage(by) ? PAGES[by] : counts.viewsBy(by, withoutMissing)),
    ...(withoutPercentage ? {} : { share: OF_ALL_VISITORS }),
  });
}
