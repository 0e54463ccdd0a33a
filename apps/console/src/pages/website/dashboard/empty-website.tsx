import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { trackingHostQuery } from '../../../api/tracking-host';
import { websiteQuery } from '../../../api/website-query';
import { Button } from '../../../components/button';
import { EmptyState } from '../../../components/empty-state';
import type { useView } from '../view/use-view';

const MOST_DAYS = 3_660;
const DAY_MS = 86_400_000;
const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Why there is nothing: no events were ever recorded, or none in the range. */
export function EmptyWebsite({ view }: { readonly view: ReturnType<typeof useView> }) {
  const { organizationId, websiteId, website } = view;
  const ever = { website: websiteId, startDate: dayAgo(MOST_DAYS - 2), endDate: dayAgo(-1) };
  const { data } = useQuery({ ...websiteQuery(ever, { name: 'summary_metrics' }), refetchInterval: 5_000 });
  const { data: host } = useQuery(trackingHostQuery);
  const events = data?.rows[0]?.total_events;
  const queryClient = useQueryClient();
  const hasEvents = events !== undefined && events > 0;
  useEffect(() => {
    if (hasEvents) void queryClient.invalidateQueries({ queryKey: ['website-query'] }); // the first ones may be of the range
  }, [hasEvents, queryClient]);
  if (events === undefined) return null;
  if (hasEvents)
    return (
      <EmptyState title="Nothing happened in this range">
        <p>The website has events of other days.</p>
        <Button onClick={() => view.select({ preset: 'last_90d', from: undefined, to: undefined })}>
          Show the last 90 days
        </Button>
      </EmptyState>
    );
  return (
    <EmptyState title="No visitors yet">
      <p>
        Put this line into every page of {website.domain}; the first visit is shown here within seconds.{' '}
        <Link to="/organizations/$organizationId/websites/$websiteId/install" params={{ organizationId, websiteId }}>
          How to install it
        </Link>
      </p>
      {host !== undefined && (
        <pre className="snippet" tabIndex={0} aria-label="The script element">
          <code>{`<script defer src="${host}/tracker.js" data-website-id="${websiteId}"></script>`}</code>
        </pre>
      )}
      <p>Or have visitors made for a try:</p>
      <pre className="snippet" tabIndex={0} aria-label="The command">
        <code>{`npm run simulate -- --website ${websiteId}`}</code>
      </pre>
    </EmptyState>
  );
}
