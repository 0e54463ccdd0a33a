import type { Degradation } from './degradations';
import type { ReadinessReport } from './readiness';
import type { ProjectionReport } from './reports';

/** A report without figures of all organizations together, and without what names one, a process or a cause. */
export interface PublicReport extends Pick<ReadinessReport, 'status' | 'eventStore' | 'database' | 'readStores'> {
  readonly projections: readonly Pick<ProjectionReport, 'group' | 'store' | 'status' | 'lagMs'>[];
  readonly degradations?: readonly Pick<Degradation, 'kind' | 'group' | 'store' | 'since'>[];
}

/** What callers without METRICS_TOKEN may see of whether this process can do its work. */
export function publicReport({ degradations, ...report }: ReadinessReport): PublicReport {
  const { status, eventStore, database, readStores, projections } = report;
  return {
    status,
    eventStore,
    database,
    readStores,
    projections: projections.map(({ group, store, status: state, lagMs }) => ({
      group,
      ...(store === undefined ? {} : { store }),
      status: state,
      lagMs,
    })),
    ...(degradations === undefined
      ? {}
      : {
          degradations: degradations.map(({ kind, group, store, since }) => ({
            kind,
            group,
            ...(store === undefined ? {} : { store }),
            ...(since === undefined ? {} : { since }),
          })),
        }),
  };
}
