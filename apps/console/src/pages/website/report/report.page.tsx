import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { figuresQuery } from '../../../api/figures';
import { Tabs } from '../../../components/tabs';
import { Bell } from '../bell';
import { Figures, SeriesChart } from '../figures';
import { Flow } from '../flow/flow';
import { Answered, AnswerMenu } from '../lists/answer';
import { FullList } from '../lists/full-list';
import { listNamed } from '../lists/lists';
import { useView } from '../view/use-view';
import { comparisonOf, granularityOf } from '../view/view-scope';
import { WebsitePage } from '../website-page';
import { ErrorGroups } from './error-groups';
import { reportAt, REPORTS, type Report } from './reports';
import { Vitals, VitalsByPage } from './vitals';
import { WorldMap } from './world-map';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/$report');

type View = ReturnType<typeof useView>;

/** The parts of an address about the list that was shown before. */
const ANOTHER_LIST = {
  sort: undefined,
  order: undefined,
  page: undefined,
  few: undefined,
  find: undefined,
  hide: undefined,
};

/** A report of a website, as its declaration says. */
export function ReportPage() {
  const view = useView();
  const { report: path } = route.useParams();
  const search = route.useSearch();
  const report: Report = reportAt(path) ?? REPORTS[0];
  const type = report.lists.find((each) => each === search.list) ?? report.lists[0];
  const list = listNamed(type);
  const content =
    type === 'vitals_by_page' ? <VitalsByPage view={view} /> : <FullList list={list} view={view} search={search} />;
  return (
    <WebsitePage
      title={report.title}
      lead={report.lead}
      actions={path === 'events' && <Bell {...view} figure="custom_events" of="Custom events" />}
      view={view}
    >
      {report.totals && <Totals totals={report.totals} view={view} />}
      {report.series && <Series key={path} series={report.series} title={report.title} view={view} />}
      {path === 'vitals' && <Vitals view={view} />}
      {type === 'country' && <WorldMap view={view} />}
      {path === 'errors' && <ErrorGroups view={view} />}
      {path === 'flow' && <Flow view={view} />}
      {report.lists.length > 1 ? (
        <Tabs
          label={report.title}
          tabs={report.lists.map((each) => [each, listNamed(each).title] as const)}
          value={type}
          onChange={(next) => view.change({ list: next, ...ANOTHER_LIST })}
        >
          {content}
        </Tabs>
      ) : (
        content
      )}
    </WebsitePage>
  );
}

function Totals({ totals: [name, ...fields], view }: { totals: NonNullable<Report['totals']>; view: View }) {
  const query = useQuery(figuresQuery(view.scope, { name, ...comparisonOf(view.search) }));
  return (
    <section className="query-panel overview" aria-label="Figures">
      <Answered query={query} label="the figures" lines={2}>
        {({ rows }) => <Figures label="Figures of the range" row={rows[0]} fields={fields} bells={view} />}
      </Answered>
    </section>
  );
}

function Series({ series, title, view }: { series: NonNullable<Report['series']>; title: string; view: View }) {
  const [name, field] = series;
  const parameter = { name, granularity: granularityOf(view.search), ...comparisonOf(view.search) };
  const query = useQuery(figuresQuery(view.scope, parameter));
  return (
    <section className="query-panel overview" aria-label={`${title} over time`}>
      <Answered query={query} label="the chart" lines={8}>
        {({ rows, meta }) => (
          <SeriesChart
            timeZone={meta.timezone}
            title={`${title} over time`}
            rows={rows}
            field={field}
            onSelect={(from, to) => view.select({ preset: undefined, from, to })}
            actions={<AnswerMenu title={title} scope={view.scope} parameter={parameter} />}
            about={view.about}
          />
        )}
      </Answered>
    </section>
  );
}
