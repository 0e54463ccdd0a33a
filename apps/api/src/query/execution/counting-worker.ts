import { move, transferableSymbol, valueSymbol } from 'piscina';
import { queryTypeNamed } from '../types/catalogue';
import { countTask, type CountedColumns, type CountingTask } from '../session-columns/counting-task';

/** What a worker thread runs: it hands the columns over to the api's thread without a copy. */
export default function work(task: CountingTask): unknown {
  const counted: readonly CountedColumns[] = countTask(task, queryTypeNamed);
  const buffers = counted.flatMap((each) =>
    'failure' in each ? [] : Object.values(each.columns).map(({ buffer }) => buffer),
  );
  return move({ [transferableSymbol]: buffers, [valueSymbol]: counted });
}
