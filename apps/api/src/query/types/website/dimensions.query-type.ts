import { rankedByDays } from '../../sql/rollups';
import { listType } from '../../list-type';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import * as rollups from '@ledgerline/contracts/read-models/website-dimensions';
import type { Attribute } from '@ledgerline/domain/sessions/session';
import { count, percent, type Fields } from '../../fields';
import { counted } from '../../counting/counted';
import { all, COUNT, IN_SESSION, positive, VISITORS } from '../../counting/measures';
import { COUNTED_SESSIONS } from '../../counting/items';
import type { QueryType, SessionCounting } from '../../query-type';
import { BROWSER_AND_VERSION, COUNTRY, NAME, PLACE, REFERRER, type Labels } from '../../labels';

/** Page views and visitors by the value of one dimension: the path of a page, or an attribute of the session. */
interface Dimension extends Pick<QueryType, 'name' | 'description'> {
  readonly rollup: ReadModel;
  /** The attribute of the session, or which of its pages. */
  readonly by: Attribute | keyof typeof PAGES;
  readonly labels?: Labels;
  /** Rows of values that are missing are left out. */
  readonly withoutMissing?: boolean;
  readonly withoutPercentage?: boolean;
  /** True by default. */
  readonly publicAccess?: boolean;
}

const DIMENSIONS: Readonly<Record<string, readonly Dimension[]>> = {
  Pages: [
    { name: 'top_pages', description: 'Page views and visitors by path', rollup: rollups.topPages, by: 'path' },
    {
      name: 'entry_pages',
      description: 'First pages of sessions; pageviews = sessions that entered there',
      rollup: rollups.entryPages,
      by: 'entry_path',
    },
    {
      name: 'exit_pages',
      description: 'Last pages of sessions; pageviews = sessions that left there',
      rollup: rollups.exitPages,
      by: 'exit_path',
    },
    {
      name: 'page_performance',
      description: 'Page views and visitors by page; load timing is in vitals_by_page',
      rollup: rollups.topPages,
      by: 'path',
      withoutPercentage: true,
      publicAccess: false,
    },
  ],
  Traffic: [
    { ...referrers('top_referrers', 'Top referrers, direct visits left out'), withoutMissing: true },
    referrers('traffic_sources', 'Traffic source breakdown, with direct visits as Direct'),
  ],
  Campaigns: [
    campaigns('utm_sources', 'utm_source', rollups.utmSources),
    campaigns('utm_mediums', 'utm_medium', rollups.utmMediums),
    campaigns('utm_campaigns', 'utm_campaign', rollups.utmCampaigns),
    { ...campaigns('utm_terms', 'utm_term', rollups.utmTerms), publicAccess: false },
    { ...campaigns('utm_content', 'utm_content', rollups.utmContents), publicAccess: false },
  ],
  Devices: [
    { name: 'browser_name', description: 'Browser usage breakdown', rollup: rollups.browsers, by: 'browser_name' },
    {
      name: 'browser_versions',
      description: 'Browser usage by browser and version',
      rollup: rollups.browserVersions,
      by: 'browser_version',
      labels: BROWSER_AND_VERSION,
    },
    { name: 'os_name', description: 'Operating system breakdown', rollup: rollups.operatingSystems, by: 'os_name' },
    {
      name: 'device_types',
      description: 'Device category (desktop, mobile, tablet, other)',
      rollup: rollups.deviceTypes,
      by: 'device_type',
    },
    {
      name: 'screen_resolutions',
      description: 'Page views and visitors by screen resolution',
      rollup: rollups.screenResolutions,
      by: 'screen',
      withoutPercentage: true,
      publicAccess: false,
    },
  ],
  Audience: [
    { name: 'language', description: 'Visits by language of the browser', rollup: rollups.languages, by: 'language' },
    { name: 'timezone', description: 'Visits by time zone of the visitor', rollup: rollups.timezones, by: 'timezone' },
  ],
  Geography: [
    { name: 'country', description: 'Visitors by country', rollup: rollups.countries, by: 'country', labels: COUNTRY },
    { name: 'region', description: 'Visitors by region', rollup: rollups.regions, by: 'region', labels: PLACE },
    { name: 'city', description: 'Visitors by city', rollup: rollups.cities, by: 'city', labels: PLACE },
  ],
};

function referrers(name: string, description: string): Dimension {
  return { name, description, rollup: rollups.topReferrers, by: 'referrer', labels: REFERRER };
}

function campaigns(name: string, by: Attribute, rollup: ReadModel): Dimension {
  return { name, description: `Visits by ${by}`, rollup, by, withoutMissing: true };
}

const MEASURES = { pageviews: COUNT, visitors: VISITORS };

/** How pages are counted; sessions as page views. */
const PAGES = {
  path: counted({ of: 'views', by: { value: 'path' }, measures: MEASURES }),
  entry_path: counted({ of: COUNTED_SESSIONS, by: { value: 'entry_path' }, measures: MEASURES }),
  exit_path: counted({ of: COUNTED_SESSIONS, by: { value: 'exit_path' }, measures: MEASURES }),
} as const;

const isPage = (by: string): by is keyof typeof PAGES => by in PAGES;

/** Page views by an attribute of their session. */
const viewsByAttribute = (by: Attribute, withoutMissing = false): SessionCounting =>
  counted({
    of: 'views',
    by: { value: by },
    where: withoutMissing ? all(IN_SESSION, positive(by)) : IN_SESSION,
    measures: MEASURES,
  });

function dimension(category: string, declared: Dimension): QueryType {
  const { name, description, rollup, by, labels = NAME, withoutMissing = false, publicAccess = true } = declared;
  const share: Fields = declared.withoutPercentage ? {} : { percentage: percent };
  return listType({
    name,
    category,
    description,
    publicAccess,
    labels,
    fields: { pageviews: count, visitors: count, ...share },
    days: (context) => rankedByDays(context, { rollup, by: 'pageviews', withoutMissing }),
    count: isPage(by) ? PAGES[by] : viewsByAttribute(by, withoutMissing),
    share: 'visitors',
  });
}

export const websiteDimensions: readonly QueryType[] = Object.entries(DIMENSIONS).flatMap(([category, dimensions]) =>
  dimensions.map((declared) => dimension(category, declared)),
);
