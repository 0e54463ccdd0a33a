import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FunnelDto, RowOf } from '@ledgerline/client';
import { figuresQuery } from '../../../api/figures';
import { Button } from '../../../components/button';
import { Select } from '../../../components/field';
import { type TableColumn, Table } from '../../../components/table';
import { SeriesChart } from '../figures';
import { formatFigure, formatTime } from '../format';
import { AnswerMenu, Answered } from '../lists/answer';
import { BreakdownValue, SHOWN_VALUES, useBreakdownDimensions } from '../lists/breakdowns';
import { Pager } from '../lists/full-list';
import { FigureChange, NoRows } from '../lists/list-table';
import { sharedSearch, type useView } from '../view/use-view';
import { comparisonOf, granularityOf } from '../view/view-scope';
import { PAGE_ROWS } from '../view/view-search';
import type { FunnelSearch } from './funnel-search';
import type { StepRow } from './funnel-steps';

type View = ReturnType<typeof useView>;

export interface FunnelPartProps {
  readonly funnel: FunnelDto;
  readonly view: View;
  readonly search: FunnelSearch;
}

/** Shows who completed it, by when they began. */
export function FunnelSeries({ funnel, view }: Omit<FunnelPartProps, 'search'>) {
  const series = { name: 'funnel_by_day' as const, funnel: funnel.id, granularity: granularityOf(view.search) };
  const parameter = { ...series, ...comparisonOf(view.search) };
  const query = useQuery(figuresQuery(view.scope, parameter));
  return (
    <section className="query-panel overview" aria-label="Conversion over time">
      <header className="query-panel-head">
        <h2>Completed, by when they began</h2>
      </header>
      <Answered query={query} label="the chart" lines={8}>
        {({ rows, meta }) => (
          <SeriesChart
            title="Conversion over time"
            timeZone={meta.timezone}
            rows={rows}
            field="conversion_rate"
            onSelect={(from, to) => view.select({ preset: undefined, from, to })}
            actions={<AnswerMenu title="Conversion over time" scope={view.scope} parameter={parameter} />}
          />
        )}
      </Answered>
    </section>
  );
}

const DEFAULT_BY = 'country';

/** Shows how far those came who began with each value of an attribute. */
export function FunnelBy({ funnel, view, search }: FunnelPartProps) {
  const wanted = search.by ?? DEFAULT_BY;
  const breakdowns = useBreakdownDimensions(view.scope, funnel.steps[0]?.condition, wanted);
  const [by, label] = breakdowns.find(([each]) => each === wanted) ?? [DEFAULT_BY, 'Country'];
  const parameter = { name: 'funnel', funnel: funnel.id, by, ...comparisonOf(view.search) } as const;
  const query = useQuery(figuresQuery(view.scope, { ...parameter, limit: SHOWN_VALUES }));
  return (
    <section className="query-panel full" aria-label="Breakdown">
      <header className="query-panel-head">
        <h2>Steps by</h2>
        <div className="toolbar">
          <Select
            label="By"
            options={breakdowns}
            value={by}
            onChange={({ target }) => view.change({ by: target.value === DEFAULT_BY ? undefined : target.value })}
          />
        </div>
      </header>
      <Answered query={query} label="the breakdown" lines={8}>
        {({ rows, meta }) =>
          rows.length === 0 ? (
            <NoRows notes={meta.notes} />
          ) : (
            <Table
              caption="Steps by what they began with"
              columns={[
                { header: label, cell: ({ value }) => <BreakdownValue by={by} value={value} view={view} /> },
                ...columnsOf(rows),
              ]}
              rows={blocksOf(rows)}
              keyOf={({ value }) => value}
            />
          )
        }
      </Answered>
      <footer className="query-panel-foot">
        <span className="soft">By the session or event with which an attempt begins; the most frequent values.</span>
        <AnswerMenu title="Breakdown" scope={view.scope} parameter={parameter} />
      </footer>
    </section>
  );
}

interface Block {
  readonly value: string;
  readonly steps: readonly StepRow[];
}

const blocksOf = (rows: readonly StepRow[]): readonly Block[] =>
  [...Map.groupBy(rows, ({ value }) => value ?? '')].map(([value, steps]) => ({ value, steps }));

/** A column for each step. */
function columnsOf(rows: readonly StepRow[]): readonly TableColumn<Block>[] {
  const names = blocksOf(rows)[0]?.steps ?? [];
  return names.map(({ step, name }, at) => ({
    header: `${step} ${name}`,
    isNumber: true,
    cell: ({ steps }) => <StepOfBlock row={steps[at]} isFirst={at === 0} />,
  }));
}

const StepOfBlock = ({ row, isFirst }: { readonly row: StepRow | undefined; readonly isFirst: boolean }) =>
  row && (
    <span className="compared">
      <span>
        {formatFigure('count', row.reached)}
        {!isFirst && <span className="soft"> {formatFigure('percent', row.percentage)}</span>}
      </span>
      <FigureChange row={{ ...row }} field={isFirst ? 'reached' : 'percentage'} />
    </span>
  );

type VisitorRow = RowOf<'funnel_visitors'>;

/** The visitors that the address asks for, if it does. */
export function FunnelVisitors({ funnel, view, search }: FunnelPartProps) {
  const [, state, number] = /^(reached|dropped)-(\d+)$/.exec(search.who ?? '') ?? [];
  const step = Number(number);
  if (state === undefined || step < 1 || step > funnel.steps.length) return null;
  return (
    <Visitors
      key={search.who}
      funnel={funnel}
      view={view}
      page={search.page ?? 1}
      step={step}
      state={state === 'reached' ? 'reached' : 'dropped'}
    />
  );
}

interface VisitorsProps extends Pick<FunnelPartProps, 'funnel' | 'view'> {
  readonly page: number;
  readonly step: number;
  readonly state: 'reached' | 'dropped';
}

function Visitors({ funnel, view, page, step, state }: VisitorsProps) {
  const parameter = { name: 'funnel_visitors', funnel: funnel.id, step, state } as const;
  const query = useQuery(figuresQuery({ ...view.scope, limit: PAGE_ROWS, page }, parameter));
  const name = funnel.steps[step - 1]?.name ?? `Step ${step}`;
  const title = state === 'dropped' ? `Who left after “${name}”` : `Who reached “${name}”`;
  return (
    <section className="query-panel overview" aria-label="Visitors" tabIndex={-1} ref={scrollTo}>
      <header className="query-panel-head">
        <h2>{title}</h2>
        <Button variant="quiet" onClick={() => view.change({ who: undefined, page: undefined })}>
          Close
        </Button>
      </header>
      <Answered query={query} label="the visitors" lines={8}>
        {({ rows, meta }) =>
          rows.length === 0 ? (
            <NoRows isEnd={page > 1} notes={meta.notes} />
          ) : (
            <Table
              caption={title}
              columns={visitorColumns(view, meta.timezone)}
              rows={rows}
              keyOf={(row) => `${row.visitor_id} ${row.first_at} ${row.last_at}`}
            />
          )
        }
      </Answered>
      <footer className="query-panel-foot">
        <Pager page={page} rows={PAGE_ROWS} total={query.data?.total} view={view} />
        <AnswerMenu title={title} scope={view.scope} parameter={parameter} />
      </footer>
    </section>
  );
}

/** It is below what was pressed. */
const scrollTo = (section: HTMLElement | null): void => section?.focus();

const visitorColumns = (view: View, timeZone: string): readonly TableColumn<VisitorRow>[] => [
  { header: 'Visitor', cell: ({ visitor_id: id }) => <VisitorLink id={id} view={view} /> },
  { header: 'Steps', isNumber: true, cell: ({ reached }) => formatFigure('count', reached) },
  { header: 'Started', cell: ({ first_at: at }) => formatTime(at, timeZone) },
  { header: 'Last step', cell: ({ last_at: at }) => formatTime(at, timeZone) },
];

const ID_LETTERS = 8;

function VisitorLink({ id, view }: { readonly id: string; readonly view: View }) {
  const { organizationId, websiteId } = view;
  if (id === '') return <span className="soft">Unknown</span>;
  return (
    <Link
      to="/organizations/$organizationId/websites/$websiteId/visitors/$visitorId"
      params={{ organizationId, websiteId, visitorId: id }}
      search={sharedSearch(view.search)}
    >
      <code>{id.slice(0, ID_LETTERS)}</code>
    </Link>
  );
}
