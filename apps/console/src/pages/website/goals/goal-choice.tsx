import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { goalsQuery } from '../../../api/goals';
import { ViewChoice, type MenuProps } from '../view/choice';

const GoalMenu = lazy(async () => ({ default: (await import('./goal.menu')).GoalMenu }));

/** Shows which goal the lists are seen by: how many of each row reach it. */
export function GoalChoice({ view }: Pick<MenuProps, 'view'>) {
  const { goal } = view.search;
  const { data } = useQuery({ ...goalsQuery(view), enabled: goal !== undefined });
  const name = data?.find(({ id }) => id === goal)?.name ?? (data ? 'Deleted goal' : '…');
  return <ViewChoice view={view} label="Goal" shown={goal === undefined ? 'Goal' : name} menu={GoalMenu} />;
}
