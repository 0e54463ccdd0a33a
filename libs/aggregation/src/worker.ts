import { move, transferableSymbol, valueSymbol } from 'piscina';
import { preAggregate, countTask, type PreAggregateTask, type CountingTask } from './tasks';

/** Returns what a worker thread runs: it hands the columns over to the api's thread without a copy. */
export default function work(task: CountingTask | PreAggregateTask): unknown {
  if ('preAggregate' in task) return preAggregate(task);
  const counted = countTask(task);
  const buffers = counted.flatMap((each) =>
    'failure' in each ? [] : Object.values(each.columns).map(({ buffer }) => buffer),
  );
  return move({ [transferableSymbol]: buffers, [valueSymbol]: counted });
}
