import type { OverallStatus } from '../monitors/status';
import type { Registry } from '../registry/registry';
import { isUnderMaintenance, type Maintenance } from './occurrences';

/** The status of a page by an incident that goes on. */
const WITH = { minor: 'degraded', major: 'degraded', critical: 'outage', maintenance: 'maintenance' } as const;

/** The worse of what monitors and people say; a maintenance that is planned for later makes nothing of it. */
export function withIncidents(status: OverallStatus, incidents: readonly Maintenance[], now: number): OverallStatus {
  const open = incidents.filter((incident) =>
    incident.severity === 'maintenance' ? isUnderMaintenance(incident, now) : incident.resolvedAt === null,
  );
  const all: readonly OverallStatus[] = [status, ...open.map(({ severity }) => WITH[severity])];
  return (['outage', 'degraded', 'maintenance'] as const).find((worst) => all.includes(worst)) ?? status;
}

/** The monitors of an organization whose maintenance is under way, whichever page it was planned on. */
export const monitorsUnderMaintenance = (
  registry: Pick<Registry, 'list' | 'find'>,
  organizationId: string,
  now: number,
): ReadonlySet<string> =>
  new Set(
    registry
      .list('incidents', organizationId)
      .filter((incident) => isUnderMaintenance(incident, now) && registry.find('statusPages', incident.statusPageId))
      .flatMap(({ monitorIds }) => monitorIds),
  );
