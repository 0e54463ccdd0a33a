import Table from 'cli-table3';
import type { Standing } from '../../apps/projector/src/rebuild/list-projections';

const HEAD = ['group', 'store', 'version', 'partition', 'cursor', 'head', 'lag', 'as of', 'events', 'stopped'];

/** The position of each partition; those without events are only counted. */
export function standingTable(standings: readonly Standing[]): string {
  const table = new Table({ head: HEAD, style: { head: [], border: [], compact: true } });
  const shown = standings.filter((each) => !isUntouched(each));
  for (const { group, store, version, live, partition, cursor, head, lagMs, asOf, events, stopped } of shown) {
    const lag = `${(lagMs / 1000).toFixed(1)} s`;
    const named = `${version}${live ? ' (live)' : ''}`;
    table.push([group, store, named, partition, cursor, head, lag, asOf?.toISOString() ?? '', events, stopped ?? '']);
  }
  const left = standings.length - shown.length;
  return left === 0 ? table.toString() : `${table.toString()}\n${left} more without events.`;
}

const isUntouched = ({ head, events, stopped }: Standing): boolean => head === '' && events === 0 && stopped === null;
