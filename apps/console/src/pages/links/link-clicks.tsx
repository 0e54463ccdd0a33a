import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { LinkDto } from '@ledgerline/client';
import type { AnnotationSubject } from '../../api/annotations';
import { figuresQuery } from '../../api/figures';
import { Figures, SeriesChart } from '../website/figures';
import { AnswerMenu, Answered } from '../website/lists/answer';
import { ListPanel } from '../website/lists/list-panel';
import { CLICK_LISTS } from '../website/lists/lists';
import { PANEL_ROWS } from '../website/report/reports';
import { LINK_FILTER_FIELDS } from '../website/view/filter-fields';
import { useSelection, type Selection } from '../website/view/use-view';
import { ViewBar } from '../website/view/view-bar';
import { comparisonOf, granularityOf } from '../website/view/view-scope';
import type { RangeSearch } from '../website/view/view-search';
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
  const led = useLedTo(link);
  const totals = useTotals(view);
  return (
    <div className="stack analytics">
      <ViewBar view={view} meta={totals.data?.meta} isLive />
      <ClicksOverview view={view} about={{ organizationId, linkId }} />
      <LinkOutcome link={link} view={view} led={led} />
      <ClickLists view={view} />
      <LinkVisited link={link} view={view} led={led} />
    </div>
  );
}

/** Shows how often all links of a tag were followed, while they are listed. */
export function TagClicks({ tagId, search }: { readonly tagId: string; readonly search: RangeSearch }) {
  const target = { ...BROWSER_DAYS.target, tag: tagId };
  const view = useSelection({ ...BROWSER_DAYS, target, fields: [] }, search);
  return (
    <div className="stack">
      <ClicksOverview view={view} />
      <ClickLists view={view} />
    </div>
  );
}

const useTotals = ({ scope, search }: Selection) =>
  useQuery(figuresQuery(scope, { name: 'link_unique_clicks', ...comparisonOf(search) }));

interface ClicksProps {
  readonly view: Selection;
  /** The subject whose notes are drawn. */
  readonly about?: AnnotationSubject;
}

function ClicksOverview({ view, about }: ClicksProps) {
  const { search, scope } = view;
  const series = { name: 'link_clicks_by_day', granularity: granularityOf(search), ...comparisonOf(search) } as const;
  const totals = useTotals(view);
  const course = useQuery(figuresQuery(scope, series));
  return (
    <section className="query-panel overview" aria-label="Clicks">
      <Answered query={totals} label="the figures" lines={2}>
        {({ rows }) => (
          <Figures
            label="Figures of the range"
            row={rows[0]}
            fields={['total', 'unique']}
            bells={about && { about, search }}
          />
        )}
      </Answered>
      <Answered query={course} label="the chart" lines={8}>
        {({ rows, meta }) => (
          <SeriesChart
            timeZone={meta.timezone}
            title="Clicks over time"
            rows={rows}
            field="clicks"
            onSelect={(from, to) => view.select({ preset: undefined, from, to })}
            actions={<AnswerMenu title="the series" scope={scope} parameter={series} />}
            about={about}
          />
        )}
      </Answered>
    </section>
  );
}

const ClickLists = ({ view }: { readonly view: Selection }) => (
  <div className="query-panels three">
    {CLICK_LISTS.map((list) => (
      <ListPanel key={list.type} list={list} rows={PANEL_ROWS} view={view} />
    ))}
  </div>
);
