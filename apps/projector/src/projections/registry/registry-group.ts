import { REGISTRY } from '@ledgerline/contracts/read-models/registry';
import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import type { ProjectionGroup } from '../projection-group';
import { REGISTRY_PROJECTIONS } from './registry.projections';
import { rowChangesOf, type RecordedDecision } from './registry-projection';
import { RowChanges } from './row-changes';

export const registryGroup = (): ProjectionGroup<RecordedEvent> => ({
  ...REGISTRY,
  types: [...new Set(REGISTRY_PROJECTIONS.flatMap(({ on }) => Object.keys(on)))],
  cursorOf: ({ cursor }) => cursor,
  loggedAt: ({ recordedAt }) => recordedAt.getTime(),
  prepare: (recorded) => {
    const events = recorded.map(decisionOf);
    const changes = REGISTRY_PROJECTIONS.map((projection) => {
      const rows = new RowChanges(projection.builds, projection.count);
      for (const event of events) for (const change of rowChangesOf(projection, event)) rows.add(change);
      return rows;
    });
    return Promise.resolve((_, schema) =>
      Promise.resolve({ statements: changes.flatMap((rows) => rows.statements(schema)) }),
    );
  },
  invalidateCaches: () => undefined,
});

const decisionOf = ({ type, data, revision, recordedAt }: RecordedEvent) =>
  // the deciders' events: `type` determines the type of `data`
  ({ type, data, revision, at: recordedAt.getTime() }) as unknown as RecordedDecision;
