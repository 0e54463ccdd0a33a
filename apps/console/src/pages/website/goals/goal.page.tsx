import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { GoalDto } from '@ledgerline/client';
import { figuresQuery } from '../../../api/figures';
import { goalsQuery } from '../../../api/goals';
import { useCreateRecord, useUpdateRecord } from '../../../api/record-changes';
import { Button } from '../../../components/button';
import { DeleteButton } from '../../../components/delete-button';
import { NotFound, PageHeader } from '../../../components/page';
import { notify } from '../../../components/toasts';
import { Figures, SeriesChart } from '../figures';
import { Answered } from '../lists/answer';
import { sharedSearch, useView } from '../view/use-view';
import { comparisonOf, granularityOf } from '../view/view-scope';
import { WebsitePage } from '../website-page';
import { GoalForm } from './goal-form';
import { GoalLinks } from './goal-links';
import { GoalBy, GoalRevenue } from './goal-worth';

type View = ReturnType<typeof useView>;

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/goals/$goalId');
const GOALS = '/organizations/$organizationId/websites/$websiteId/goals';

/** One goal, or the form of a new one. */
export function GoalPage() {
  const { goalId } = route.useParams();
  const view = useView();
  const goals = useQuery(goalsQuery(view));
  if (goalId === 'new') return <NewGoal view={view} />;
  return (
    <Answered query={goals} label="the goal" lines={8}>
      {(known) => {
        const goal = known.find(({ id }) => id === goalId);
        return goal ? <OneGoal key={goal.id} goal={goal} view={view} /> : <NotFound />;
      }}
    </Answered>
  );
}

function NewGoal({ view }: { readonly view: View }) {
  const create = useCreateRecord('/v1/goals');
  const first = route.useSearch();
  const navigate = route.useNavigate();
  const { organizationId, websiteId } = view;
  const search = sharedSearch(view.search);
  return (
    <div className="page">
      <PageHeader title="New goal" description="Counted at once, also of what has happened before" />
      <GoalForm
        key={JSON.stringify([first.kind, first.value])}
        first={first}
        scope={view.scope}
        change={create}
        submit="Create the goal"
        onSubmit={(settings) =>
          create.mutate(
            { organizationId, websiteId, ...settings },
            {
              onSuccess: ({ id }) =>
                void navigate({ to: `${GOALS}/$goalId`, params: { organizationId, websiteId, goalId: id }, search }),
            },
          )
        }
        cancel={
          <Link className="button" to={GOALS} params={{ organizationId, websiteId }} search={search}>
            Cancel
          </Link>
        }
      />
    </div>
  );
}

interface OneGoalProps {
  readonly goal: GoalDto;
  readonly view: View;
}

function OneGoal({ goal, view }: OneGoalProps) {
  const change = useUpdateRecord('/v1/goals', goal.id);
  const [isEdited, setEdited] = useState(false);
  return (
    <WebsitePage
      title={goal.name}
      lead={<Link {...backTo(view)}>All goals</Link>}
      actions={<GoalActions goal={goal} view={view} onEdit={() => setEdited(true)} />}
      view={view}
    >
      {isEdited && (
        <GoalForm
          key={goal.revision}
          goal={goal}
          scope={view.scope}
          change={change}
          submit="Save the goal"
          onSubmit={(_, changed) =>
            change.mutate(changed, {
              onSuccess: () => {
                setEdited(false);
                notify('The goal is saved');
              },
            })
          }
          cancel={<Button onClick={() => setEdited(false)}>Cancel</Button>}
        />
      )}
      <GoalTotals goal={goal} view={view} />
      <GoalSeries goal={goal} view={view} />
      {goal.value && <GoalRevenue goal={goal} view={view} />}
      <GoalBy goal={goal} view={view} />
      <GoalLinks goal={goal} view={view} />
    </WebsitePage>
  );
}

const backTo = ({ organizationId, websiteId, search }: View) =>
  ({ to: GOALS, params: { organizationId, websiteId }, search: sharedSearch(search) }) as const;

function GoalActions({ goal, view, onEdit }: OneGoalProps & { readonly onEdit: () => void }) {
  const navigate = route.useNavigate();
  return (
    <>
      <Button onClick={onEdit}>Edit</Button>
      <DeleteButton path="/v1/goals" record={goal} onDeleted={() => void navigate(backTo(view))}>
        <p>The events stay; a goal of the same definition has the same numbers again.</p>
      </DeleteButton>
    </>
  );
}

function GoalTotals({ goal, view }: OneGoalProps) {
  const query = useQuery(figuresQuery(view.scope, { name: 'goals', goals: [goal.id], ...comparisonOf(view.search) }));
  return (
    <section className="query-panel overview" aria-label="Figures">
      <Answered query={query} label="the figures" lines={2}>
        {({ rows }) => (
          <Figures
            label="Figures of the range"
            row={rows[0]}
            fields={['conversions', 'visitors', 'conversion_rate']}
            bells={{ about: view.about, search: view.search, goal: goal.id }}
          />
        )}
      </Answered>
    </section>
  );
}

function GoalSeries({ goal, view }: OneGoalProps) {
  const series = { name: 'goals_by_day' as const, goals: [goal.id], granularity: granularityOf(view.search) };
  const parameter = { ...series, ...comparisonOf(view.search) };
  const query = useQuery(figuresQuery(view.scope, parameter));
  return (
    <section className="query-panel overview" aria-label="Conversions over time">
      <Answered query={query} label="the chart" lines={8}>
        {({ rows, meta }) => (
          <SeriesChart
            title="Conversions over time"
            timeZone={meta.timezone}
            rows={rows}
            field="conversions"
            onSelect={(from, to) => view.select({ preset: undefined, from, to })}
            about={view.about}
          />
        )}
      </Answered>
    </section>
  );
}
