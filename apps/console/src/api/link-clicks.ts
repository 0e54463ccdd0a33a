import { queryOptions } from '@tanstack/react-query';
import { client } from './client';

export interface ClickRange {
  readonly startDate: string;
  readonly endDate: string;
  readonly timezone: string;
}

const REFRESH_MS = 10_000;
const ROWS = 10;
const MAX_DAYS = 1_000;

export const CLICK_PARAMETERS = [
  'link_unique_clicks',
  { name: 'link_clicks_by_day', limit: MAX_DAYS },
  'link_top_referrers',
  'link_top_countries',
  'link_top_regions',
  'link_top_cities',
  'link_top_devices',
  'link_top_browsers',
] as const;

/** Everything about the clicks of a link, in one request; it is asked for again while it is shown. */
export const linkClicksQuery = (link: string, { startDate, endDate, timezone }: ClickRange) =>
  queryOptions({
    queryKey: ['link-clicks', link, startDate, endDate, timezone],
    queryFn: ({ signal }) => {
      const granularity = startDate === endDate ? 'hourly' : 'daily';
      const parameters = CLICK_PARAMETERS;
      return client.query({ link, startDate, endDate, timezone, granularity, limit: ROWS, parameters }, { signal });
    },
    refetchInterval: REFRESH_MS,
  });
