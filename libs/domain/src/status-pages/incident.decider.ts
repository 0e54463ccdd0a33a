import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type {
  IncidentCreated,
  IncidentDetails,
  IncidentEvent,
  IncidentStatus,
} from '@ledgerline/contracts/events/incident.events';
import { applyChanges, omit } from '../changes';
import { decider, type Command } from '../decider';

export type IncidentCommand = CreateIncident | UpdateIncident | DeleteIncident;
export type CreateIncident = Command<
  'CreateIncident',
  Omit<IncidentCreated['data'], 'updates' | 'resolvedAt'> & { readonly message: string; readonly at: string }
>;
export type UpdateIncident = Command<
  'UpdateIncident',
  {
    readonly changes: Partial<Pick<IncidentDetails, 'title' | 'severity' | 'monitorIds' | 'startsAt' | 'endsAt'>>;
    /** What is reported with it; null = nothing. */
    readonly update: { readonly status: IncidentStatus; readonly message: string } | null;
    readonly at: string;
  }
>;
export type DeleteIncident = Command<'DeleteIncident', object>;

type Details = IncidentCreated['data'];
type Incident = { readonly status: 'absent' | 'deleted' } | { readonly status: 'present'; readonly details: Details };

/** Of the updates as JSON: an event of a changed incident holds them twice, before and after, in its 64 KiB. */
const MAX_UPDATES_BYTES = 24_000;

export const incident = decider<Incident, IncidentCommand, IncidentEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateIncident({ status }, { message, at, ...command }) {
      if (status !== 'absent') throw new Rejection('INCIDENT_EXISTS');
      const data = {
        ...command,
        resolvedAt: resolvedAt(command.status, at),
        updates: [{ at, status: command.status, message }],
      };
      assertValid(data);
      return [{ type: 'IncidentCreated', data }];
    },
    UpdateIncident(state, { changes, update, at }) {
      const { details } = existing(state);
      const reported = update && {
        status: update.status,
        resolvedAt: update.status === details.status ? details.resolvedAt : resolvedAt(update.status, at),
        updates: [...details.updates, { at, ...update }],
      };
      const data = applyChanges(details, { ...changes, ...reported });
      if (!data) return [];
      assertValid(data);
      return [{ type: 'IncidentUpdated', data }];
    },
    DeleteIncident(state) {
      const { incidentId, organizationId, statusPageId, title } = existing(state).details;
      return [{ type: 'IncidentDeleted', data: { incidentId, organizationId, statusPageId, title } }];
    },
  },

  evolve: {
    IncidentCreated: (_, details) => ({ status: 'present', details }),
    IncidentUpdated: (_, data) => ({ status: 'present', details: omit(data, 'before') }),
    IncidentDeleted: () => ({ status: 'deleted' }),
  },
});

function existing(state: Incident): { readonly details: Details } {
  if (state.status !== 'present') throw new Rejection('INCIDENT_NOT_FOUND');
  return state;
}

const resolvedAt = (status: IncidentStatus, at: string): string | null => (status === 'resolved' ? at : null);

function assertValid({ severity, startsAt, endsAt, monitorIds, updates }: IncidentDetails): void {
  const isPlanned = startsAt !== null && endsAt !== null && startsAt < endsAt;
  if (severity === 'maintenance' ? !isPlanned : startsAt !== null || endsAt !== null)
    throw new Rejection('MAINTENANCE_INVALID', 'startsAt');
  if (new Set(monitorIds).size < monitorIds.length) throw new Rejection('MONITORS_REPEATED', 'monitorIds');
  if (Buffer.byteLength(JSON.stringify(updates)) > MAX_UPDATES_BYTES)
    throw new Rejection('INCIDENT_UPDATES_TOO_LONG', 'update');
}
