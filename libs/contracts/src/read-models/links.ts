import { detailsColumn, idColumns, timeColumns } from '../record-kind';
import { key, last, meaning, readModel, sum } from './read-model';
import { REFERRER_RULES_VERSION } from './session-days';

/** One row per link; `words` are what a search compares (see `linkWords`). */
export const linkRecords = readModel(
  'links',
  {
    ...idColumns,
    slug: last('text'),
    name: last('text'),
    external_id: last('text?'),
    tag_ids: last('jsonb'),
    ...detailsColumn,
    words: last('tsvector'),
    created_by: last('text'),
    ...timeColumns,
  },
  [
    { on: ['slug'] },
    { on: ['organization_id', 'external_id', 'created_at', 'id'] },
    { on: ['organization_id', 'created_at', 'id'] },
    { on: ['organization_id', 'updated_at', 'id'] },
    { on: ['organization_id', 'name', 'id'] },
    { on: ['words'], using: 'gin' },
    { on: ['tag_ids'], using: 'gin' },
  ],
);

/** A block of time (see `time-blocks.ts`): `span` intervals of 15 minutes from `start_15min` on. */
const block = { link_id: key('text'), span: key('smallint'), start_15min: key('timestamptz') };

/** The version of the tables that add up clicks: a click that is repeated in the log counts once. */
const COUNTED_ONCE = 2;

/** By block: clicks, and the distinct visitors among them. */
export const linkClicks15min = meaning(
  readModel('link_clicks_15min', {
    ...block,
    clicks: sum(),
    visitors: sum('integer'),
  }),
  COUNTED_ONCE,
);

/**
 * The visitors of a block who had clicked before it, by the 15-minute interval of their last click before it. So the
 * exact distinct visitors of any stretch of time are, over blocks that make it up, the `visitors` of each less those
 * whose `previous_15min` lies in the stretch.
 */
export const linkReturns = readModel('link_returns', {
  ...block,
  previous_15min: key('timestamptz'),
  visitors: sum('integer'),
});

const linkDimension = (name: string) =>
  meaning(readModel(name, { ...block, value: key('text'), clicks: sum() }), COUNTED_ONCE);

export type LinkDimension = ReturnType<typeof linkDimension>;

/** By canonical referrer domain; '' = direct. */
export const linkReferrers = linkDimension('link_referrers');
/** By ISO code; '' = unknown. */
export const linkCountries = linkDimension('link_countries');
/** By country␟region and country␟city; '' = unknown. */
export const linkRegions = linkDimension('link_regions');
export const linkCities = linkDimension('link_cities');
export const linkDevices = linkDimension('link_devices');
export const linkBrowsers = linkDimension('link_browsers');

/**
 * Facts: one row per click. `actor` is the visitor, or else the click itself, so that what one visitor did lies together.
 * '' = unknown (referrer: direct).
 */
export const linkClicks = meaning(
  readModel(
    'link_clicks',
    {
      link_id: key('text'),
      actor: key('uuid'),
      id: key('uuid'),
      at: last('timestamptz'),
      referrer: last('text'),
      country: last('text'),
      region: last('text'),
      city: last('text'),
      device_type: last('text'),
      browser_name: last('text'),
    },
    [{ on: ['link_id', 'at'] }],
  ),
  1,
  REFERRER_RULES_VERSION,
);
