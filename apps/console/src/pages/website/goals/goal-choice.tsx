import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { goalsQuery } from '../../../api/goals';
import { Popover } from '../../../components/overlays';
import { Skeleton } from '../../../components/states';
import type { useView } from '../view/use-view';

/** Loaded when it is first opened. */
const GoalMenu = lazy(async () => ({ default: (await import('./goal.menu')).GoalMenu }));

interface GoalChoiceProps {
  readonly view: ReturnType<typeof useView>;
}

/** Which goal the lists are seen by: how many of each row reach it. */
export function GoalChoice({ view }: GoalChoiceProps) {
  const { goal } = view.search;
  const { data } = useQuery({ ...goalsQuery(view), enabled: goal !== undefined });
  const name = data?.find(({ id }) => id === goal)?.name ?? (data ? 'Deleted goal' : '…');
  return (
    <Popover shown={<>{goal === undefined ? 'Goal' : name} ▾</>} label="Goal">
      {(close) => (
        <Suspense fallback={<Skeleton lines={4} label="the goals" />}>
          <GoalMenu view={view} onChosen={close} />
        </Suspense>
      )}
    </Popover>
  );
}
