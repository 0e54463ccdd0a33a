import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type {
  IncidentCreated,
  IncidentDetails,
  IncidentEvent,
  IncidentStatus,
  IncidentUpdate,
  MaintenanceRepeat,
} from '@ledgerline/contracts/events/status-page.events';
import { type RecordLifecycle, requireExisting, type Command, applyChanges, decider, omit } from '../decider';
import { occurrenceOn, validRepeat } from './occurrences';

export type IncidentCommand = CreateIncident | UpdateIncident | DeleteIncident;
export type CreateIncident = Command<
  'CreateIncident',
  Omit<IncidentCreated['data'], 'updates' | 'resolvedAt' | 'repeat' | 'repeatSetAt'> & {
    readonly repeat: MaintenanceRepeat | null;
    readonly message: string;
    readonly at: string;
  }
>;
export type UpdateIncident = Command<
  'UpdateIncident',
  {
    readonly changes: Partial<
      Pick<IncidentDetails, 'title' | 'severity' | 'monitorIds' | 'startsAt' | 'endsAt' | 'repeat'>
    >;
    /** The update that is reported with it; null = nothing. */
    readonly update: Omit<IncidentUpdate, 'at'> | null;
    readonly at: string;
  }
>;
export type DeleteIncident = Command<'DeleteIncident', object>;

type Incident = RecordLifecycle<IncidentCreated['data']>;

/**
 * The bound of the updates as JSON: an event of a changed incident holds them twice, before and after, in its 64 KiB.
 */
const MAX_UPDATES_BYTES = 24_000;

export const incident = decider<Incident, IncidentCommand, IncidentEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateIncident({ status }, { message, at, ...command }) {
      if (status !== 'absent') throw new Rejection('INCIDENT_EXISTS');
      const repeat = command.repeat && validRepeat(command.repeat);
      const data = {
        ...command,
        repeat,
        repeatSetAt: repeat && at,
        resolvedAt: resolvedAt(command.status, at),
        updates: [{ at, status: command.status, message }],
      };
      assertValid(data);
      return [{ type: 'IncidentCreated', data }];
    },
    UpdateIncident(state, { changes, update, at }) {
      const details = requireExisting(state, 'INCIDENT_NOT_FOUND');
      const set = changes.repeat ? { ...changes, repeat: validRepeat(changes.repeat) } : changes;
      const changed = { ...details, ...set };
      const report = update && reported(changed, update, at);
      const isSet = 'repeat' in (applyChanges(details, set)?.before ?? {});
      const isReopened = details.resolvedAt !== null && report?.resolvedAt === null;
      const repeatSetAt = isSet || isReopened ? { repeatSetAt: changed.repeat ? at : null } : {};
      const data = applyChanges(details, { ...set, ...repeatSetAt, ...report });
      if (!data) return [];
      assertValid(data);
      return [{ type: 'IncidentUpdated', data }];
    },
    DeleteIncident(state) {
      const { incidentId, organizationId, statusPageId, title } = requireExisting(state, 'INCIDENT_NOT_FOUND');
      return [{ type: 'IncidentDeleted', data: { incidentId, organizationId, statusPageId, title } }];
    },
  },

  evolve: {
    IncidentCreated: (_, details) => ({ status: 'present', details }),
    IncidentUpdated: (_, data) => ({ status: 'present', details: omit(data, 'before') }),
    IncidentDeleted: () => ({ status: 'deleted' }),
  },
});

const resolvedAt = (status: IncidentStatus, at: string): string | null => (status === 'resolved' ? at : null);

/** Returns what an update makes of an incident; one about a single occurrence leaves the series as it is. */
function reported(
  details: IncidentCreated['data'],
  update: Omit<IncidentUpdate, 'at'>,
  at: string,
): Partial<IncidentDetails> {
  const updates = withRoom([...details.updates, { at, ...update }]);
  if (update.occurrence) {
    if (!occurrenceOn(details, update.occurrence)) throw new Rejection('OCCURRENCE_UNKNOWN', 'update.occurrence');
    return { updates };
  }
  const isSame = update.status === details.status;
  return { status: update.status, resolvedAt: isSame ? details.resolvedAt : resolvedAt(update.status, at), updates };
}

/** Without the oldest ones about single occurrences, of which there is no end, where there is no room for all. */
function withRoom(updates: readonly IncidentUpdate[]): readonly IncidentUpdate[] {
  const oldest = updates.findIndex(({ occurrence }) => occurrence);
  const isLast = oldest === -1 || oldest === updates.length - 1;
  return isLast || bytesOf(updates) <= MAX_UPDATES_BYTES ? updates : withRoom(updates.toSpliced(oldest, 1));
}

const bytesOf = (updates: readonly IncidentUpdate[]): number => Buffer.byteLength(JSON.stringify(updates));

function assertValid({ severity, startsAt, endsAt, repeat, monitorIds, updates }: IncidentDetails): void {
  const isTimed = startsAt !== null || endsAt !== null;
  if (repeat && (severity !== 'maintenance' || isTimed)) throw new Rejection('REPEAT_INVALID', 'repeat');
  const isPlanned = startsAt !== null && endsAt !== null && startsAt < endsAt;
  if (severity === 'maintenance' ? !isPlanned && !repeat : isTimed)
    throw new Rejection('MAINTENANCE_INVALID', 'startsAt');
  if (new Set(monitorIds).size < monitorIds.length) throw new Rejection('MONITORS_REPEATED', 'monitorIds');
  if (bytesOf(updates) > MAX_UPDATES_BYTES) throw new Rejection('INCIDENT_UPDATES_TOO_LONG', 'update');
}
