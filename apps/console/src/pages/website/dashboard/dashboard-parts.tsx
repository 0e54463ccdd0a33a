import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { QueryTypeName } from '@ledgerline/client';
import type { DashboardPanel } from '@ledgerline/contracts/events/share.events';
import type { AnnotationSubject } from '../../../api/annotations';
import { figuresQuery } from '../../../api/figures';
import { Select } from '../../../components/field';
import { Figures, SeriesChart } from '../figures';
import { Answered } from '../lists/answer';
import { fieldNamed, seenByGoal } from '../lists/declare-list';
import { listParameter } from '../lists/goal-lens';
import { ListPanel } from '../lists/list-panel';
import { listNamed } from '../lists/lists';
import { PANEL_ROWS } from '../report/reports';
import type { Selection } from '../view/use-view';
import { dashboardParameters, DASHBOARD_METRICS, type DashboardSearch } from './dashboard-search';

const SUMMARY = ['unique_visitors', 'pageviews', 'sessions', 'bounce_rate', 'median_session_duration', 'total_events'];

/** Returns what a dashboard asks about the whole range: its figures, and their course. */
export function useOverview(view: Selection, chosen: DashboardSearch) {
  const { summary, series } = dashboardParameters(view.search, chosen);
  const totals = useQuery(figuresQuery(view.scope, summary));
  const course = useQuery(figuresQuery(view.scope, series));
  return { totals, course, series };
}

interface OverviewProps extends Pick<ReturnType<typeof useOverview>, 'totals' | 'course'> {
  readonly view: Selection;
  readonly chosen: DashboardSearch;
  /** Beside the chart. */
  readonly actions?: ReactNode;
  /** The website or link whose annotations it shows, and that alerts are of. */
  readonly about?: AnnotationSubject;
}

/** The figures of the range, and the course of one of them. */
export function Overview({ totals, course, view, chosen, actions, about }: OverviewProps) {
  const [metric, field] = DASHBOARD_METRICS.find(([each]) => each === chosen.metric) ?? DASHBOARD_METRICS[0];
  const drawn = {
    field,
    fields: DASHBOARD_METRICS.map(([, each]) => each),
    onDraw: (next: string) => view.change({ metric: DASHBOARD_METRICS.find(([, each]) => each === next)?.[0] }),
  };
  return (
    <section className="query-panel overview" aria-label="Overview">
      <Answered query={totals} label="the figures" lines={2}>
        {({ rows }) => (
          <Figures
            label="Figures of the range"
            row={rows[0]}
            fields={SUMMARY}
            drawn={drawn}
            bells={about && { about, search: view.search }}
          />
        )}
      </Answered>
      <Answered query={course} label="the chart" lines={8}>
        {({ rows, meta }) => (
          <SeriesChart
            timeZone={meta.timezone}
            title={`${fieldNamed(field).header} over time`}
            rows={rows}
            field={metric}
            onSelect={(from, to) => view.select({ preset: undefined, from, to })}
            actions={actions}
            about={about}
          />
        )}
      </Answered>
    </section>
  );
}

interface PanelProps {
  readonly name: DashboardPanel;
  /** The lists to choose from. */
  readonly types: readonly QueryTypeName[];
  readonly chosen: string | undefined;
  readonly view: Selection;
  /** True if conversions of the goal that lists are seen by have amounts. */
  readonly hasRevenue?: boolean;
  /** Returns what leads on from its rows, which can be exported then. */
  readonly more?: (type: QueryTypeName, total: number) => ReactNode;
}

/** The columns for which there is room, besides the names. */
const FIGURES = ['visitors', 'pageviews', 'total_events', 'unique_users', 'total_clicks', 'percentage'];

/** The first rows of one of the lists of a report. */
export function Panel({ name, types, chosen, view, hasRevenue = false, more }: PanelProps) {
  const type = types.find((each) => each === chosen) ?? types[0] ?? 'top_pages';
  const { goal } = view.search;
  const { parameter, isSeen } = listParameter(type, goal);
  const list = isSeen ? seenByGoal(listNamed(type), hasRevenue) : listNamed(type);
  return (
    <ListPanel
      list={list}
      parameter={parameter}
      columns={
        isSeen
          ? list.columns
          : list.columns.filter(({ field, kind }, at) => at === 0 || (kind !== 'text' && FIGURES.includes(field)))
      }
      rows={PANEL_ROWS}
      view={view}
      head={
        <PanelHead list={list.title} types={types} type={type} onChoose={(next) => view.change({ [name]: next })}>
          {goal !== undefined && !isSeen && <span className="soft small">Not by goal</span>}
        </PanelHead>
      }
      {...(more ? { more: (total) => more(type, isSeen ? 0 : total) } : { isExported: false })}
    />
  );
}

interface PanelHeadProps {
  readonly list: string;
  readonly types: readonly QueryTypeName[];
  readonly type: QueryTypeName;
  readonly onChoose: (type: string) => void;
  readonly children: ReactNode;
}

const PanelHead = ({ list, types, type, onChoose, children }: PanelHeadProps) => (
  <header className="query-panel-head">
    <h2 className={types.length > 1 ? 'visually-hidden' : undefined}>{list}</h2>
    {types.length > 1 && (
      <Select
        label={`Shown instead of ${list}`}
        value={type}
        options={types.map((each) => [each, listNamed(each).title])}
        onChange={({ target }) => onChoose(target.value)}
      />
    )}
    {children}
  </header>
);
