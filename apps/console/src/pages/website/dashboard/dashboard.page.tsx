import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import type { QueryTypeName } from '@ledgerline/client';
import { DASHBOARD_PANELS } from '@ledgerline/contracts/events/share.events';
import { useHasRevenue } from '../../../api/goals';
import { firstEventQuery } from '../../../api/websites';
import { Button } from '../../../components/button';
import { EmptyState } from '../../../components/states';
import { formatFigure } from '../format';
import { AnswerMenu } from '../lists/answer';
import { sharedSearch, useView } from '../view/use-view';
import { WebsitePage } from '../website-page';
import { Overview, Panel, useOverview } from './dashboard-parts';
import { listsOf } from './dashboard-search';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/');

/** Loaded where it is needed. */
const NoVisitorsYet = lazy(async () => ({ default: (await import('./no-visitors.page')).NoVisitorsYet }));

/** A website at a glance: figures, their course, and the first rows of six lists, of one request. */
export function DashboardPage() {
  const view = useView();
  const chosen = route.useSearch();
  const { totals, course, series } = useOverview(view, chosen);
  const { website, scope } = view;
  const [row] = totals.data?.rows ?? [];
  const hasRevenue = useHasRevenue(view, view.search.goal);
  const hasVisitors = useHasVisitors(view.websiteId, row?.total_events === 0 && view.filters.length === 0);
  return (
    <WebsitePage title={website.name} view={view} meta={totals.data?.meta} isLive>
      {hasVisitors === false ? (
        <Suspense>
          <NoVisitorsYet view={view} />
        </Suspense>
      ) : (
        <Overview
          totals={totals}
          course={course}
          view={view}
          chosen={chosen}
          about={view.about}
          actions={<AnswerMenu title="the series" scope={scope} parameter={series} />}
        />
      )}
      {hasVisitors && <EmptyRange view={view} />}
      {hasVisitors === undefined && (
        <div className="query-panels">
          {DASHBOARD_PANELS.map((name) => (
            <Panel
              key={name}
              name={name}
              types={listsOf(name)}
              chosen={chosen[name]}
              view={view}
              hasRevenue={hasRevenue}
              more={(type, total) => <ShowAll report={name} type={type} total={total} view={view} />}
            />
          ))}
        </div>
      )}
    </WebsitePage>
  );
}

interface ViewProps {
  readonly view: ReturnType<typeof useView>;
}

/** Returns whether a website has ever had a visitor, asked only where a range is empty; undefined until it is known. */
function useHasVisitors(websiteId: string, isEmpty: boolean): boolean | undefined {
  const { data } = useQuery({ ...firstEventQuery(websiteId), enabled: isEmpty });
  const hasVisitors = isEmpty ? data : undefined;
  const queryClient = useQueryClient();
  useEffect(() => {
    if (hasVisitors) void queryClient.invalidateQueries({ queryKey: ['figures'] }); // the first may be of the range
  }, [hasVisitors, queryClient]);
  return hasVisitors;
}

/** In the place of the lists. */
const EmptyRange = ({ view }: ViewProps) => (
  <EmptyState title="Nothing happened in this range">
    <p>The website has events of other days.</p>
    <Button onClick={() => view.change({ preset: 'last_90d', from: undefined, to: undefined })}>
      Show the last 90 days
    </Button>
  </EmptyState>
);

interface ShowAllProps {
  readonly report: string;
  readonly type: QueryTypeName;
  readonly total: number;
  readonly view: ReturnType<typeof useView>;
}

const ShowAll = ({ report, type, total, view: { organizationId, websiteId, search } }: ShowAllProps) => (
  <Link
    className="button quiet"
    to="/organizations/$organizationId/websites/$websiteId/$report"
    params={{ organizationId, websiteId, report }}
    search={{ ...sharedSearch(search), list: type }}
  >
    {total > 0 ? `Show all ${formatFigure('count', total)}` : 'Open'}
  </Link>
);
