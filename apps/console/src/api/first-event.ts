import { queryOptions } from '@tanstack/react-query';
import { client } from './client';

const POLL_MS = 2_000;
/** The most days that a query takes, but for two. */
const DAYS = 3_658;
const DAY_MS = 86_400_000;
const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Whether a website has ever had a visitor; asked for again until it has. */
export const firstEventQuery = (website: string) =>
  queryOptions({
    queryKey: ['first-event', website],
    queryFn: async ({ signal }) => {
      const ever = { website, startDate: dayAgo(DAYS), endDate: dayAgo(-1) };
      const { data } = await client.query({ ...ever, parameters: ['summary_metrics'] }, { signal });
      return Boolean(data[0].data[0]?.total_events);
    },
    refetchInterval: ({ state }) => (state.data ? false : POLL_MS),
    refetchIntervalInBackground: true, // the other window is where the page is opened
  });
