import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { goalsQuery } from '../../../api/goals';
import { Answered } from '../lists/answer';
import type { MenuProps } from '../view/choice';
import { sharedSearch } from '../view/use-view';

/** The goals to choose from. */
export function GoalMenu({ view, onChosen }: MenuProps) {
  const goals = useQuery(goalsQuery(view));
  const { organizationId, websiteId, search } = view;
  const choose = (goal: string | undefined) => {
    view.select({ goal });
    onChosen();
  };
  return (
    <div className="segments">
      <Answered query={goals} label="the goals" lines={4}>
        {(known) => (
          <ul className="presets">
            {[undefined, ...known].map((goal) => (
              <li key={goal?.id ?? ''}>
                <button type="button" aria-pressed={search.goal === goal?.id} onClick={() => choose(goal?.id)}>
                  {goal?.name ?? 'No goal'}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Answered>
      <Link
        to="/organizations/$organizationId/websites/$websiteId/goals"
        params={{ organizationId, websiteId }}
        search={sharedSearch(search)}
        onClick={onChosen}
      >
        All goals
      </Link>
    </div>
  );
}
