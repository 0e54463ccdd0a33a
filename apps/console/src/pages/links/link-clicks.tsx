import type { LinkDto } from '@ledgerline/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { figuresQuery } from '../../api/figures';
import { Figures, SeriesChart } from '../website/figures';
import { AnswerMenu, Answered } from '../website/lists/answer';
import { ListPanel } from '../website/lists/list-panel';
import { CLICK_LISTS } from '../website/lists/lists';
import { PANEL_ROWS } from '../website/report/reports';
import { LINK_FILTER_FIELDS } from '../website/view/filter-fields';
import { useSelection } from '../website/view/use-view';
import { ViewBar } from '../website/view/view-bar';
import { comparisonOf, granularityOf } from '../website/view/view-scope';
import { LinkOutcome, LinkVisited, useLedTo } from './link-outcome';

const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();

/** Links have no time zone of their own: their days are those of the person. */
export const BROWSER_DAYS = { target: { timezone: zone }, zone, zoneText: `${zone} (of this browser)` };

const route = getRouteApi('/signed-in/organizations/$organizationId/links/$linkId');

/** The figures of one link, their course and its lists, as the dashboard of a website has them; of one request. */
export function LinkClicks({ link }: { readonly link: LinkDto }) {
  const { id: linkId } = link;
  const { organizationId } = route.useParams();
  const search = route.useSearch();
  const target = { ...BROWSER_DAYS.target, link: linkId };
  const view = useSelection({ ...BROWSER_DAYS, target, fields: LINK_FILTER_FIELDS }, search);
  const summary = { name: 'link_unique_clicks', ...comparisonOf(search) } as const;
  const series = { name: 'link_clicks_by_day', granularity: granularityOf(search), ...comparisonOf(search) } as const;
  const led = useLedTo(link);
  const totals = useQuery(figuresQuery(view.scope, summary));
  const course = useQuery(figuresQuery(view.scope, series));
  return (
    <div className="stack analytics">
      <ViewBar view={view} meta={totals.data?.meta} isLive />
      <section className="query-panel overview" aria-label="Clicks">
        <Answered query={totals} label="the figures" lines={2}>
          {({ rows }) => <Figures label="Figures of the range" row={rows[0]} fields={['total', 'unique']} />}
        </Answered>
        <Answered query={course} label="the chart" lines={8}>
          {({ rows, meta }) => (
            <SeriesChart
              timeZone={meta.timezone}
              title="Clicks over time"
              rows={rows}
              field="clicks"
              onSelect={(from, to) => view.select({ preset: undefined, from, to })}
              actions={<AnswerMenu title="the series" scope={view.scope} parameter={series} />}
              about={{ organizationId, linkId }}
            />
          )}
        </Answered>
      </section>
      <LinkOutcome {...{ link, view, led }} />
      <div className="query-panels three">
        {CLICK_LISTS.map((list) => (
          <ListPanel key={list.type} list={list} rows={PANEL_ROWS} view={view} />
        ))}
      </div>
      <LinkVisited {...{ link, view, led }} />
    </div>
  );
}
