import { DEFAULT_PRESET, type ViewSearch } from './view-search';

/** The request that a view asks of a website, a link or several. Without a time zone the api takes the website's own. */
export const scopeOf = <Target extends object>(
  target: Target,
  { from, to, preset, timezone, filters = [], segment }: ViewSearch,
) => ({
  ...target,
  ...(from !== undefined && to !== undefined ? { startDate: from, endDate: to } : { preset: preset ?? DEFAULT_PRESET }),
  ...(timezone === undefined ? {} : { timezone }),
  ...(filters.length > 0 ? { filters: [...filters] } : {}),
  ...(segment === undefined ? {} : { segment }),
});

/** For parameters that are compared. */
export const comparisonOf = ({ compare = 'previous_period' }: ViewSearch) => (compare === 'none' ? {} : { compare });

/** Hours for one or two days, unless the address says otherwise. */
export const granularityOf = ({ granularity, ...view }: ViewSearch): NonNullable<ViewSearch['granularity']> =>
  granularity ?? (daysOf(view) <= 2 ? 'hourly' : 'daily');

/** The most days of an hourly series. */
export const MAX_HOURLY_DAYS = 30;

const DAY_MS = 86_400_000;
const DAYS = { today: 1, yesterday: 1, last_24h: 2, last_7d: 7, last_14d: 14, last_30d: 30, last_90d: 90 } as const;
const CALENDAR_DAYS = { this_week: 7, last_week: 7, this_month: 31, last_month: 31, this_year: 366 } as const;

/** How many days a view has at most. */
export function daysOf({ from, to, preset = DEFAULT_PRESET }: ViewSearch): number {
  if (from !== undefined && to !== undefined) return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return { ...DAYS, ...CALENDAR_DAYS }[preset];
}
