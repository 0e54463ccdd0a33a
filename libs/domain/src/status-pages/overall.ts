import type { IncidentDetails } from '@ledgerline/contracts/events/incident.events';
import type { OverallStatus } from '../monitors/status';

/** What an incident that goes on makes of a page; a planned maintenance makes nothing of it. */
const WITH = { minor: 'degraded', major: 'degraded', critical: 'outage' } as const;

/** The worse of what monitors and people say. */
export function withIncidents(
  status: OverallStatus,
  incidents: readonly Pick<IncidentDetails, 'severity' | 'resolvedAt'>[],
): OverallStatus {
  const open = incidents.flatMap(({ severity, resolvedAt }) =>
    resolvedAt === null && severity !== 'maintenance' ? [WITH[severity]] : [],
  );
  if (status === 'outage' || open.includes('outage')) return 'outage';
  if (open.length > 0) return 'degraded';
  return status;
}
