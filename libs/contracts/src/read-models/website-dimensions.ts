import { RANGE_STARTS } from './encodings';
import { key, meaning, readModel, sum } from './read-model';

/**
 * By website, block of days (see blocks), value of the dimension (EVERY_VALUE = their sum), and the day on which the same
 * visitors were there before the block.
 *
 * With the `previous_day` NEVER a row counts the block as a whole: its distinct `visitors`, their `pageviews`, and their
 * `sessions` whose first page view lies in it. With any other day it counts those among these visitors who had been there
 * on that day and not since. So the exact distinct visitors of days a..b are, over blocks that make up a..b and begin at
 * a at the earliest, `visitors` of the whole minus those with a `previous_day` of a or later. `value` is a text id;
 * 0 = unknown.
 */
const dimension = (name: string) =>
  readModel(name, {
    website: key('integer'),
    span: key('smallint'),
    day: key('date'),
    value: key('integer'),
    previous_day: key('date'),
    visitors: sum('integer'),
    pageviews: sum(),
    sessions: sum('integer'),
  });

export type Dimension = ReturnType<typeof dimension>;

/** By path of the page view (`sessions`: those that entered there, as in {@link entryPages}). */
export const topPages = dimension('top_pages');
/** By path of the session's first page view; `pageviews` and `visitors` count the entering page view alone. */
export const entryPages = dimension('entry_pages');
/** By path of the session's last page view, on the day of its first; `pageviews` = sessions that left there. */
export const exitPages = dimension('exit_pages');
/**
 * By place of the session's range of durations instead of a text (`durationRange` of the domain), on the day of its
 * first page view; `pageviews` = sessions, `visitors` = their distinct visitors.
 */
export const sessionDurationRanges = meaning(dimension('session_duration_ranges'), 1, ...RANGE_STARTS);
/** From here on by an attribute of the session, which applies to all of its page views. */
export const topReferrers = dimension('top_referrers');
export const utmSources = dimension('utm_sources');
export const utmMediums = dimension('utm_mediums');
export const utmCampaigns = dimension('utm_campaigns');
export const utmTerms = dimension('utm_terms');
export const utmContents = dimension('utm_contents');
export const countries = dimension('countries');
export const regions = dimension('regions');
export const cities = dimension('cities');
export const languages = dimension('languages');
export const timezones = dimension('timezones');
export const deviceTypes = dimension('device_types');
export const browsers = dimension('browsers');
export const browserVersions = dimension('browser_versions');
export const operatingSystems = dimension('operating_systems');
export const screenResolutions = dimension('screen_resolutions');
