import type { RowOf } from '@ledgerline/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { websiteQuery } from '../../../api/website-query';
import { Tabs } from '../../../components/tabs';
import { Figures, SeriesChart } from '../figures';
import { Answered, AnswerMenu } from '../lists/answer';
import { FullList } from '../lists/full-list';
import { ListTable } from '../lists/list-table';
import { listNamed } from '../lists/lists';
import { useView } from '../view/use-view';
import { comparisonOf, granularityOf } from '../view/view-scope';
import { WebsitePage } from '../website-page';
import { reportAt, REPORTS, type Report } from './reports';
import { ErrorGroups } from './error-groups';
import { Vitals, VitalsByPage } from './vitals';
import { WorldMap } from './world-map';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/$report');

type View = ReturnType<typeof useView>;

/** What an address says of the list that was shown before. */
const ANOTHER_LIST = {
  ...{ sort: undefined, order: undefined, page: undefined },
  ...{ few: undefined, find: undefined, hide: undefined },
};

/** A report of a website, as its declaration says. */
export function ReportPage() {
  const view = useView();
  const { report: path } = route.useParams();
  const search = route.useSearch();
  const report: Report = reportAt(path) ?? REPORTS[0];
  const type = report.lists.find((each) => each === search.list) ?? report.lists[0];
  const list = listNamed(type);
  const { data } = useQuery(websiteQuery(view.scope, { name: 'active_stats' }));
  const content =
    type === 'vitals_by_page' ? <VitalsByPage view={view} /> : <FullList list={list} view={view} search={search} />;
  return (
    <WebsitePage title={report.title} lead={`${view.website.name} · ${report.lead}`} view={view} meta={data?.meta}>
      {report.totals && <Totals totals={report.totals} view={view} />}
      {report.series && <Series key={path} series={report.series} title={report.title} view={view} />}
      {path === 'vitals' && <Vitals view={view} />}
      {type === 'country' && <WorldMap view={view} />}
      {path === 'errors' && <ErrorGroups view={view} />}
      {path === 'flow' && <PageSteps view={view} />}
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
  const query = useQuery(websiteQuery(view.scope, { name, ...comparisonOf(view.search) }));
  return (
    <section className="query-panel overview" aria-label="Figures">
      <Answered query={query} label="the figures" lines={2}>
        {({ rows }) => <Figures label="Figures of the range" row={rows[0]} fields={fields} />}
      </Answered>
    </section>
  );
}

function Series({ series, title, view }: { series: NonNullable<Report['series']>; title: string; view: View }) {
  const [name, field] = series;
  const parameter = { name, granularity: granularityOf(view.search), ...comparisonOf(view.search) };
  const query = useQuery(websiteQuery(view.scope, parameter));
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
          />
        )}
      </Answered>
    </section>
  );
}

const STEPS = 200;
const SHOWN = 10;

/** Of one selected page: where sessions came from to it, and where they went on. */
function PageSteps({ view }: { readonly view: ReturnType<typeof useView> }) {
  const page = view.filters.find((filter) => 'field' in filter && filter.field === 'path' && filter.op === 'eq');
  return page && 'field' in page && typeof page.value === 'string' ? <Steps page={page.value} view={view} /> : null;
}

function Steps({ page, view }: { readonly page: string; readonly view: ReturnType<typeof useView> }) {
  const query = useQuery(websiteQuery(view.scope, { name: 'session_flow', limit: STEPS }));
  return (
    <Answered query={query} label="the steps" lines={SHOWN}>
      {({ rows, meta }) => (
        <div className="steps">
          <Side
            title={`Before ${page}`}
            field="from_path"
            rows={rows.filter((row) => row.to_path === page)}
            view={view}
            timeZone={meta.timezone}
          />
          <Side
            title={`After ${page}`}
            field="to_path"
            rows={rows.filter((row) => row.from_path === page)}
            view={view}
            timeZone={meta.timezone}
          />
        </div>
      )}
    </Answered>
  );
}

interface SideProps {
  readonly title: string;
  readonly field: 'from_path' | 'to_path';
  readonly rows: readonly RowOf<'session_flow'>[];
  readonly view: ReturnType<typeof useView>;
  readonly timeZone: string;
}

function Side({ title, field, rows, view, timeZone }: SideProps) {
  const list = { ...listNamed('session_flow'), title };
  const columns = list.columns.filter(
    (column) => !['from_path', 'to_path'].includes(column.field) || column.field === field,
  );
  return (
    <section className="query-panel" aria-label={title}>
      <header className="query-panel-head">
        <h2>{title}</h2>
      </header>
      {rows.length === 0 ? (
        <p className="no-rows">Sessions {field === 'from_path' ? 'begin' : 'end'} here.</p>
      ) : (
        <ListTable list={list} columns={columns} rows={rows.slice(0, SHOWN)} view={view} timeZone={timeZone} />
      )}
    </section>
  );
}
