import { attributeDimensions } from '@ledgerline/contracts/read-models/attribute-dimensions';
import * as rollups from '@ledgerline/contracts/read-models/website-dimensions';
import type { Attribute } from '@ledgerline/domain/sessions/session';
import { counted } from '../../counting/counted';
import { COUNTED_SESSIONS } from '../../counting/items';
import { all, COUNT, IN_SESSION, positive, VISITORS } from '../../counting/measures';
import { count, percent } from '../../fields';
import { labelsOf } from '../../labels';
import { listType } from '../../list-type';
import type { QueryType, SessionCounting } from '../../query-type';
import { rankedByDays } from '../../sql/rollups';

/** Page views and visitors by the value of one dimension: the path of a page, or an attribute of the session. */
interface Dimension extends Pick<QueryType, 'name' | 'description'> {
  /** The attribute of the session, or which of its pages. */
  readonly by: Attribute | keyof typeof PAGES;
  /** Rows of values that are missing are left out. */
  readonly withoutMissing?: boolean;
  readonly withoutPercentage?: boolean;
  /** True by default. */
  readonly publicAccess?: boolean;
}

const DIMENSIONS: Readonly<Record<string, readonly Dimension[]>> = {
  Pages: [
    { name: 'top_pages', description: 'Page views and visitors by path', by: 'path' },
    {
      name: 'entry_pages',
      description: 'First pages of sessions; pageviews = sessions that entered there',
      by: 'entry_path',
    },
    {
      name: 'exit_pages',
      description: 'Last pages of sessions; pageviews = sessions that left there',
      by: 'exit_path',
    },
    {
      name: 'page_performance',
      description: 'Page views and visitors by page; load timing is in vitals_by_page',
      by: 'path',
      withoutPercentage: true,
      publicAccess: false,
    },
  ],
  Traffic: [
    {
      name: 'top_referrers',
      description: 'Top referrers, direct visits left out',
      by: 'referrer',
      withoutMissing: true,
    },
    {
      name: 'traffic_sources',
      description: 'Traffic source breakdown, with direct visits as Direct',
      by: 'referrer',
    },
  ],
  Campaigns: [
    campaigns('utm_sources', 'utm_source'),
    campaigns('utm_mediums', 'utm_medium'),
    campaigns('utm_campaigns', 'utm_campaign'),
    { ...campaigns('utm_terms', 'utm_term'), publicAccess: false },
    { ...campaigns('utm_content', 'utm_content'), publicAccess: false },
  ],
  Devices: [
    { name: 'browser_name', description: 'Browser usage breakdown', by: 'browser_name' },
    { name: 'browser_versions', description: 'Browser usage by browser and version', by: 'browser_version' },
    { name: 'os_name', description: 'Operating system breakdown', by: 'os_name' },
    { name: 'device_types', description: 'Device category (desktop, mobile, tablet, other)', by: 'device_type' },
    {
      name: 'screen_resolutions',
      description: 'Page views and visitors by screen resolution',
      by: 'screen',
      withoutPercentage: true,
      publicAccess: false,
    },
  ],
  Audience: [
    { name: 'language', description: 'Visits by language of the browser', by: 'language' },
    { name: 'timezone', description: 'Visits by time zone of the visitor', by: 'timezone' },
  ],
  Geography: [
    { name: 'country', description: 'Visitors by country', by: 'country' },
    { name: 'region', description: 'Visitors by region', by: 'region' },
    { name: 'city', description: 'Visitors by city', by: 'city' },
  ],
};

function campaigns(name: string, by: Attribute): Dimension {
  return { name, description: `Visits by ${by}`, by, withoutMissing: true };
}

const measures = { pageviews: COUNT, visitors: VISITORS };

/** Pages; sessions are counted as page views. */
const PAGES = {
  path: { rollup: rollups.topPages, count: counted({ of: 'views', by: { value: 'path' }, measures }) },
  entry_path: {
    rollup: rollups.entryPages,
    count: counted({ of: COUNTED_SESSIONS, by: { value: 'entry_path' }, measures }),
  },
  exit_path: {
    rollup: rollups.exitPages,
    count: counted({ of: COUNTED_SESSIONS, by: { value: 'exit_path' }, measures }),
  },
} as const;

const isPage = (by: string): by is keyof typeof PAGES => by in PAGES;

/** Page views by an attribute of their session. */
function viewsBy(by: Attribute, withoutMissing: boolean): SessionCounting {
  const where = withoutMissing ? all(IN_SESSION, positive(by)) : IN_SESSION;
  return counted({ of: 'views', by: { value: by }, where, measures });
}

function dimension(category: string, declared: Dimension): QueryType {
  const { name, description, by, withoutMissing = false, withoutPercentage = false, publicAccess = true } = declared;
  const { rollup, count: counting } = isPage(by)
    ? PAGES[by]
    : { rollup: attributeDimensions[by], count: viewsBy(by, withoutMissing) };
  return listType({
    name,
    category,
    description,
    publicAccess,
    labels: labelsOf(by),
    fields: { pageviews: count, visitors: count, ...(withoutPercentage ? {} : { percentage: percent }) },
    days: (context) => rankedByDays(context, { rollup, by: 'pageviews', withoutMissing }),
    count: counting,
    share: 'visitors',
  });
}

export const websiteDimensions: readonly QueryType[] = Object.entries(DIMENSIONS).flatMap(([category, dimensions]) =>
  dimensions.map((declared) => dimension(category, declared)),
);
