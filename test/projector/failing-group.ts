import { sql } from '@ledgerline/platform/database/sql';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { ProjectionGroup } from '../../apps/projector/src/projections/projection-group';

/** The faults of projecting events, by their id: in the program, or in Postgres. */
export type Faults = ReadonlyMap<string | undefined, string>;

/** The group, except that it refuses batches with these events. */
export function failing(group: ProjectionGroup<LoggedHit>, faults: Faults): ProjectionGroup<LoggedHit> {
  const prepare = group.prepare.bind(group);
  group.prepare = async (hits) => {
    const kinds = hits.map(({ event }) => faults.get(event.id));
    if (kinds.includes('code')) throw new TypeError('the event has no path');
    const compute = await prepare(hits);
    return async (...where) => {
      const changes = await compute(...where);
      return kinds.includes('sql') ? { ...changes, statements: [...changes.statements, sql`select 1 / 0`] } : changes;
    };
  };
  return group;
}
