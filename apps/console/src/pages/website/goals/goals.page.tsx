import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Target } from 'lucide';
import type { RowOf } from '@ledgerline/client';
import { figuresQuery } from '../../../api/figures';
import { goalsQuery } from '../../../api/goals';
import { EmptyState } from '../../../components/states';
import { Table, type TableColumn } from '../../../components/table';
import { Bell } from '../bell';
import { formatFigure } from '../format';
import { formatRevenue } from '../lists/amounts';
import { Answered, AnswerMenu } from '../lists/answer';
import { FigureChange } from '../lists/list-table';
import { sharedSearch, useView } from '../view/use-view';
import { comparisonOf } from '../view/view-scope';
import { WebsitePage } from '../website-page';

type View = ReturnType<typeof useView>;
type GoalRow = RowOf<'goals'>;

/** The goals of a website, with how often each was reached in the range. */
export function GoalsPage() {
  const view = useView();
  const goals = useQuery(goalsQuery(view));
  return (
    <WebsitePage
      title="Goals"
      lead="What visitors should do, over all history."
      actions={<NewGoal view={view} />}
      view={view}
    >
      <Answered query={goals} label="the goals" lines={6}>
        {(known) =>
          known.length === 0 ? (
            <EmptyState title="No goals yet" icon={Target}>
              <p>
                A goal is a page that is viewed or an event that happens. It has no start date: what visitors did before
                counts, too.
              </p>
            </EmptyState>
          ) : (
            <GoalFigures view={view} />
          )
        }
      </Answered>
    </WebsitePage>
  );
}

function GoalFigures({ view }: { readonly view: View }) {
  const parameter = { name: 'goals', ...comparisonOf(view.search) } as const;
  const query = useQuery(figuresQuery(view.scope, parameter));
  return (
    <section className="query-panel full" aria-label="Goals">
      <Answered query={query} label="the figures" lines={6}>
        {({ rows }) => (
          <Table
            caption="Goals, as a table"
            columns={columnsOf(view)}
            rows={rows}
            keyOf={({ goal_id: id, name }) => id ?? name}
          />
        )}
      </Answered>
      <footer className="query-panel-foot">
        <span />
        <AnswerMenu title="Goals" scope={view.scope} parameter={parameter} />
      </footer>
    </section>
  );
}

const figure = (
  field: 'conversions' | 'visitors' | 'conversion_rate',
  header: string,
  kind: 'count' | 'percent',
): TableColumn<GoalRow> => ({
  header,
  isNumber: true,
  cell: (row) => (
    <span className="compared">
      {formatFigure(kind, row[field])}
      <FigureChange row={row} field={field} />
    </span>
  ),
});

const columnsOf = (view: View): readonly TableColumn<GoalRow>[] => [
  {
    header: 'Goal',
    cell: ({ goal_id: id, name }) => (
      <span className="with-copy">
        <GoalLink view={view} id={id ?? ''} name={name} />
        {id !== null && <Bell {...view} goal={id} figure="conversions" of={name} />}
      </span>
    ),
  },
  figure('conversions', 'Conversions', 'count'),
  figure('visitors', 'Visitors', 'count'),
  figure('conversion_rate', 'Rate', 'percent'),
  { header: 'Revenue', isNumber: true, cell: ({ revenue }) => formatRevenue(revenue) },
];

const paramsOf = ({ organizationId, websiteId }: View) => ({ organizationId, websiteId });

const GoalLink = ({ view, id, name }: { readonly view: View; readonly id: string; readonly name: string }) => (
  <Link
    className="clip"
    to="/organizations/$organizationId/websites/$websiteId/goals/$goalId"
    params={{ ...paramsOf(view), goalId: id }}
    search={sharedSearch(view.search)}
    title={name}
  >
    {name}
  </Link>
);

const NewGoal = ({ view }: { readonly view: View }) => (
  <Link
    className="button primary"
    to="/organizations/$organizationId/websites/$websiteId/goals/$goalId"
    params={{ ...paramsOf(view), goalId: 'new' }}
    search={sharedSearch(view.search)}
  >
    New goal
  </Link>
);
