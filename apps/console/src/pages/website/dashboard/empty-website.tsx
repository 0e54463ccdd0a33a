import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Host } from '../../../addresses/address';
import { firstEventQuery } from '../../../api/first-event';
import { trackingHostQuery } from '../../../api/tracking-host';
import { Button } from '../../../components/button';
import { EmptyState } from '../../../components/empty-state';
import type { useView } from '../view/use-view';

interface ViewProps {
  readonly view: ReturnType<typeof useView>;
}

/** Whether a website has ever had a visitor, asked only where a range is empty; undefined until it is known. */
export function useHasVisitors(websiteId: string, isEmpty: boolean): boolean | undefined {
  const { data } = useQuery({ ...firstEventQuery(websiteId), enabled: isEmpty });
  const hasVisitors = isEmpty ? data : undefined;
  const queryClient = useQueryClient();
  useEffect(() => {
    if (hasVisitors) void queryClient.invalidateQueries({ queryKey: ['website-query'] }); // the first may be of the range
  }, [hasVisitors, queryClient]);
  return hasVisitors;
}

/** In the place of the lists. */
export const EmptyRange = ({ view }: ViewProps) => (
  <EmptyState title="Nothing happened in this range">
    <p>The website has events of other days.</p>
    <Button onClick={() => view.select({ preset: 'last_90d', from: undefined, to: undefined })}>
      Show the last 90 days
    </Button>
  </EmptyState>
);

/** In the place of all figures. */
export function NoVisitorsYet({ view: { organizationId, websiteId, website } }: ViewProps) {
  const { data: host = '…' } = useQuery(trackingHostQuery);
  return (
    <EmptyState title="No visitors yet">
      <p>
        Put this line into every page of <Host raw={website.domain} />; the first visit is shown here within seconds.{' '}
        <Link to="/organizations/$organizationId/websites/$websiteId/install" params={{ organizationId, websiteId }}>
          How to install it
        </Link>
      </p>
      <pre className="snippet" tabIndex={0} aria-label="The script element">
        <code>{`<script defer src="${host}/tracker.js" data-website-id="${websiteId}"></script>`}</code>
      </pre>
      <p>Or have visitors made for a try:</p>
      <pre className="snippet" tabIndex={0} aria-label="The command">
        <code>{`npm run simulate -- --website ${websiteId}`}</code>
      </pre>
    </EmptyState>
  );
}
