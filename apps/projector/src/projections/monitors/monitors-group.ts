import type { MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { LINK_SPANS } from '@ledgerline/contracts/read-models/blocks';
import {
  monitorChecks15min,
  monitorDowntimes,
  monitorResults,
  monitorStates,
} from '@ledgerline/contracts/read-models/monitors';
import { durationBin } from '@ledgerline/domain/sessions/duration-bins';
import { blockStart } from '@ledgerline/domain/time/fifteen-minutes';
import { FoldedRows } from '@ledgerline/platform/database/read-model-rows';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { describeHit } from '../event-description';
import type { ProjectionGroup } from '../projection-group';
import { upsertInto } from '../written-tables';
import { changeStates } from './monitor-states';

/** What single checks add, and what depends on the checks before them: states and downtimes. */
export const monitorsGroup = (): ProjectionGroup<LoggedHit> => ({
  name: 'monitors',
  builds: [monitorChecks15min, monitorStates, monitorResults, monitorDowntimes],
  state: [monitorStates],
  types: ['MonitorChecked'],
  cursorOf: ({ offset }) => String(offset),
  loggedAt: ({ event }) => event.receivedAt,
  describe: ({ event }) => describeHit(event, (event as MonitorChecked).data.monitorId, 'monitor'),
  prepare: (logged) => {
    const checks = logged.map(({ event }) => event as MonitorChecked); // the only type of `types`
    const counts = new FoldedRows(monitorChecks15min);
    for (const check of checks) for (const row of countsOf(check)) counts.add(row);
    return Promise.resolve(async (on, tables, unwritten) => {
      const changed = await changeStates(on, tables, checks, unwritten?.monitors);
      const counted = counts.size > 0 ? upsertInto(tables, monitorChecks15min, counts.values()) : [];
      return { ...changed, statements: [...counted, ...changed.statements] };
    });
  },
  invalidateCaches: () => undefined,
});

/** How a check counts in its 15 minutes and in its day. */
export function countsOf({ at, data: { monitorId, up, durationMs, maintenance } }: MonitorChecked) {
  if (maintenance) return [];
  return LINK_SPANS.map((span) => ({
    monitor_id: monitorId,
    span,
    start_15min: blockStart(at, span),
    checks: 1,
    failed: up ? 0 : 1,
    duration_ms: up ? durationMs : 0,
    durations: up ? [durationBin(durationMs), 1] : [],
  }));
}
