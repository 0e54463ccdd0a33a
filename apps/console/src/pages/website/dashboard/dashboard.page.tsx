import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Host } from '../../../addresses/address';
import { websiteQuery } from '../../../api/website-query';
import { Figures } from '../figures';
import { AnswerMenu } from '../lists/answer-menu';
import { Answered } from '../lists/answered';
import { fieldNamed } from '../lists/fields';
import { PANELS } from '../report/reports';
import { SeriesChart } from '../series-chart';
import { useView } from '../view/use-view';
import { WebsitePage } from '../website-page';
import { dashboardParameters, METRICS } from './dashboard-search';
import { EmptyRange, NoVisitorsYet, useHasVisitors } from './empty-website';
import { Panel } from './panel';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/');

const SUMMARY = ['unique_visitors', 'pageviews', 'sessions', 'bounce_rate', 'median_session_duration', 'total_events'];

/** A website at a glance: figures, their course, and the first rows of six lists, of one request. */
export function DashboardPage() {
  const view = useView();
  const chosen = route.useSearch();
  const { summary, series } = dashboardParameters(view.search, chosen);
  const totals = useQuery(websiteQuery(view.scope, summary));
  const course = useQuery(websiteQuery(view.scope, series));
  const { website } = view;
  const [row] = totals.data?.rows ?? [];
  const hasVisitors = useHasVisitors(view.websiteId, row?.total_events === 0 && view.filters.length === 0);
  const [metric, field] = METRICS.find(([each]) => each === chosen.metric) ?? METRICS[0];
  const drawn = {
    field,
    fields: METRICS.map(([, each]) => each),
    onDraw: (next: string) => view.change({ metric: METRICS.find(([, each]) => each === next)?.[0] }),
  };
  return (
    <WebsitePage title={website.name} lead={<Host raw={website.domain} />} view={view} meta={totals.data?.meta} isLive>
      {hasVisitors === false ? (
        <NoVisitorsYet view={view} />
      ) : (
        <section className="query-panel overview" aria-label="Overview">
          <Answered query={totals} label="the figures" lines={2}>
            {({ rows }) => <Figures label="Figures of the range" row={rows[0]} fields={SUMMARY} drawn={drawn} />}
          </Answered>
          <Answered query={course} label="the chart" lines={8}>
            {({ rows }) => (
              <SeriesChart
                title={`${fieldNamed(field).header} over time`}
                rows={rows}
                field={metric}
                onSelect={(from, to) => view.select({ preset: undefined, from, to })}
                actions={<AnswerMenu title="the series" scope={view.scope} parameter={series} />}
              />
            )}
          </Answered>
        </section>
      )}
      {hasVisitors && <EmptyRange view={view} />}
      {hasVisitors === undefined && (
        <div className="query-panels">
          {PANELS.map((name) => (
            <Panel key={name} name={name} chosen={chosen[name]} view={view} />
          ))}
        </div>
      )}
    </WebsitePage>
  );
}
