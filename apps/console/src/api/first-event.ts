import { queryOptions } from '@tanstack/react-query';
import { client } from './client';

const POLL_MS = 2_000;

/** Whether a website has had a visitor; asked for again until it has. */
export const firstEventQuery = (website: string) =>
  queryOptions({
    queryKey: ['first-event', website],
    queryFn: async ({ signal }) => {
      const { data } = await client.query(
        { website, parameters: ['active_stats', { name: 'summary_metrics', preset: 'last_90d' }] },
        { signal },
      );
      const [active, summary] = data;
      return Boolean(active.data[0]?.active_users) || Boolean(summary.data[0]?.total_events);
    },
    refetchInterval: ({ state }) => (state.data ? false : POLL_MS),
    refetchIntervalInBackground: true, // the other window is where the page is opened
  });
