import { move, transferableSymbol, valueSymbol } from 'piscina';
import { collapsePacks, countTask, type CollapseTask, type CountingTask } from './tasks';

/** What a worker thread runs: it hands the columns over to the api's thread without a copy. */
export default function work(task: CountingTask | CollapseTask): unknown {
  if ('collapse' in task) return collapsePacks(task);
  const counted = countTask(task);
  const buffers = counted.flatMap((each) =>
    'failure' in each ? [] : Object.values(each.columns).map(({ buffer }) => buffer),
  );
  return move({ [transferableSymbol]: buffers, [valueSymbol]: counted });
}
