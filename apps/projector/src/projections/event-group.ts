import type { Group } from '@ledgerline/contracts/read-models/groups';
import { FoldedRows } from '@ledgerline/platform/database/read-model-rows';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import { rowsOf, type EventProjection } from './event-projection';
import type { ProjectionGroup } from './projection-group';

/** A group whose projections turn single events into rows; a batch is folded in memory before it is written. */
export function eventGroup<Logged, Event extends { readonly type: string }>(
  name: Group,
  projections: readonly EventProjection<Event>[],
  read: Pick<ProjectionGroup<Logged>, 'cursorOf' | 'loggedAt' | 'schemaVersion'> & { eventOf(logged: Logged): Event },
): ProjectionGroup<Logged> {
  const builds = projections.map((projection) => projection.builds);
  return {
    name,
    builds,
    schemaVersion: read.schemaVersion,
    types: [...new Set(projections.flatMap(({ on }) => Object.keys(on)))],
    cursorOf: (logged) => read.cursorOf(logged),
    loggedAt: (logged) => read.loggedAt(logged),
    prepare: (logged) => {
      const folded = projections.map((projection) =>
        fold(
          projection,
          logged.map((each) => read.eventOf(each)),
        ),
      );
      const written = folded.filter(({ size }) => size > 0);
      return Promise.resolve((_, schema) =>
        Promise.resolve({ statements: written.map((rows) => upsert(schema, rows.model, rows.values())) }),
      );
    },
    invalidateCaches: () => undefined,
  };
}

function fold<Event extends { readonly type: string }>(
  projection: EventProjection<Event>,
  events: readonly Event[],
): FoldedRows {
  const rows = new FoldedRows(projection.builds);
  for (const event of events) for (const row of rowsOf(projection, event)) rows.add(row);
  return rows;
}
