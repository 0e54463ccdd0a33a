import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { GoalDto, RowOf } from '@ledgerline/client';
import { readableHost, readablePath } from '../../../addresses/readable-address';
import { figuresQuery } from '../../../api/figures';
import { Select } from '../../../components/field';
import { type TableColumn, Table } from '../../../components/table';
import { SearchInput } from '../../../components/text-fields';
import { formatFigure } from '../format';
import { formatAmount, formatRevenue } from '../lists/amounts';
import { AnswerMenu, Answered } from '../lists/answer';
import { BreakdownValue, SHOWN_VALUES, useBreakdownDimensions } from '../lists/breakdowns';
import { Pager, SEARCHED } from '../lists/full-list';
import { FigureChange, NoRows } from '../lists/list-table';
import type { useView } from '../view/use-view';
import { comparisonOf } from '../view/view-scope';

interface GoalPartProps {
  readonly goal: GoalDto;
  readonly view: ReturnType<typeof useView>;
}

type RevenueRow = RowOf<'revenue'>;

/** Shows what conversions were worth, by currency. */
export function GoalRevenue({ goal, view }: GoalPartProps) {
  const parameter = { name: 'revenue', goal: goal.id, ...comparisonOf(view.search) } as const;
  const query = useQuery(figuresQuery(view.scope, parameter));
  return (
    <section className="query-panel overview" aria-label="Revenue">
      <header className="query-panel-head">
        <h2>Revenue</h2>
      </header>
      <Answered query={query} label="the revenue" lines={3}>
        {({ rows, meta }) =>
          rows.length === 0 ? (
            <NoRows notes={meta.notes} />
          ) : (
            <Table
              caption="Revenue by currency"
              columns={REVENUE}
              rows={rows}
              keyOf={({ currency }) => currency ?? ''}
            />
          )
        }
      </Answered>
      <footer className="query-panel-foot">
        <span className="soft">{unreadableOf(query.data?.rows ?? [])}</span>
        <AnswerMenu title="Revenue" scope={view.scope} parameter={parameter} />
      </footer>
    </section>
  );
}

/** Conversions whose amount is in no figure. */
function unreadableOf(rows: readonly RevenueRow[]): string {
  const unreadable = rows.reduce((sum, row) => sum + row.unreadable, 0);
  if (unreadable === 0) return '';
  return unreadable === 1
    ? '1 event has an amount that is no number, and is left out.'
    : `${formatFigure('count', unreadable)} events have amounts that are no numbers, and are left out.`;
}

const compared = (row: object, field: string, figure: ReactNode) => (
  <span className="compared">
    {figure}
    <FigureChange row={{ ...row }} field={field} />
  </span>
);

const count = <Row extends object>(field: keyof Row & string, header: string): TableColumn<Row> => ({
  header,
  isNumber: true,
  cell: (row) => compared(row, field, formatFigure('count', row[field])),
});

const amount = (field: 'sum' | 'average' | 'median', header: string): TableColumn<RevenueRow> => ({
  header,
  isNumber: true,
  cell: (row) => compared(row, field, formatAmount(row.currency, row[field])),
});

const REVENUE: readonly TableColumn<RevenueRow>[] = [
  { header: 'Currency', cell: ({ currency }) => currency ?? 'None' },
  amount('sum', 'Sum'),
  count('events', 'Events'),
  count('visitors', 'Visitors'),
  amount('average', 'Average'),
  amount('median', 'Median'),
];

type ByRow = RowOf<'goal_by'>;

const DEFAULT_BY = 'referrer';

/** Shows what conversions had in common. */
export function GoalBy({ goal, view }: GoalPartProps) {
  const [wanted, setBy] = useState(DEFAULT_BY);
  const breakdowns = useBreakdownDimensions(view.scope, goal.condition, wanted);
  const [by, header] = breakdowns.find(([name]) => name === wanted) ?? [DEFAULT_BY, 'Referrer'];
  return (
    <section className="query-panel overview" aria-label="Breakdown">
      <header className="query-panel-head">
        <h2>Conversions by</h2>
        <div className="toolbar">
          <Select label="By" options={breakdowns} value={by} onChange={({ target }) => setBy(target.value)} />
        </div>
      </header>
      <Values goal={goal} view={view} by={by} header={header} />
    </section>
  );
}

interface ValuesProps extends GoalPartProps {
  readonly by: string;
  readonly header: string;
}

/** The values of an attribute, page by page, or those that hold a text. */
function Values({ goal, view, by, header }: ValuesProps) {
  const [shown, show] = useState({ by, find: '', page: 1 });
  const { find, page } = shown.by === by ? shown : { find: '', page: 1 };
  const isSearched = find !== '';
  const parameter = { name: 'goal_by', goal: goal.id, by, ...comparisonOf(view.search) } as const;
  const query = useQuery(
    figuresQuery({ ...view.scope, ...(isSearched ? SEARCHED : { limit: SHOWN_VALUES, page }) }, parameter),
  );
  const found = query.data?.rows.filter(({ name }) => holds(name, find)) ?? [];
  return (
    <>
      <div className="list-tools">
        <SearchInput
          label="Search in the list"
          placeholder="Search"
          value={find}
          onSearch={(text) => show({ by, find: text, page: 1 })}
        />
      </div>
      <Answered query={query} label="the breakdown" lines={8}>
        {({ meta }) => {
          if (found.length === 0)
            return isSearched ? (
              <p className="no-rows">Nothing in this list holds “{find}”.</p>
            ) : (
              <NoRows notes={meta.notes} />
            );
          return (
            <Table
              caption="Breakdown of conversions"
              columns={[
                { header, cell: ({ name }) => <BreakdownValue by={by} value={name} view={view} /> },
                ...BY,
                ...(goal.value ? [REVENUE_OF_VALUE] : []),
              ]}
              rows={isSearched ? found.slice((page - 1) * SHOWN_VALUES, page * SHOWN_VALUES) : found}
              keyOf={({ name }) => name}
            />
          );
        }}
      </Answered>
      <footer className="query-panel-foot">
        <Pager
          page={page}
          rows={SHOWN_VALUES}
          total={isSearched ? found.length : query.data?.total}
          view={{ change: ({ page: next = 1 }) => show({ by, find, page: next }) }}
        />
        <AnswerMenu title="Breakdown" scope={view.scope} parameter={parameter} />
      </footer>
    </>
  );
}

/** As it is written, or as it is read. */
const holds = (name: string, text: string): boolean =>
  [name, readablePath(name), readableHost(name)].some((each) => each.toLowerCase().includes(text.toLowerCase()));

const BY: readonly TableColumn<ByRow>[] = [
  count('conversions', 'Conversions'),
  count('visitors', 'Visitors'),
  count('converted', 'Converted'),
  {
    header: 'Rate',
    isNumber: true,
    cell: (row) => compared(row, 'conversion_rate', formatFigure('percent', row.conversion_rate)),
  },
];

const REVENUE_OF_VALUE: TableColumn<ByRow> = {
  header: 'Revenue',
  isNumber: true,
  cell: ({ revenue }) => formatRevenue(revenue),
};
