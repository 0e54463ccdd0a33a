import type { AuditEntryDto } from './audit-log.dto';
import type { Plain } from '../http/record.dto';
import { csvLine } from '../http/csv-line';

type Entry = Plain<AuditEntryDto>;

const COLUMNS: Readonly<Record<string, (entry: Entry) => unknown>> = {
  position: ({ position }) => position,
  occurredAt: ({ occurredAt }) => occurredAt,
  action: ({ action }) => action,
  actorType: ({ actor }) => actor.type,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  targetType: ({ target }) => target.type,
  targetId: ({ target }) => target.id,
  targetName: ({ target }) => target.name,
  changes: ({ changes }) => changes,
  requestId: ({ requestId }) => requestId,
  ip: ({ ip }) => ip,
  userAgent: ({ userAgent }) => userAgent,
  correlationId: ({ correlationId }) => correlationId,
  id: ({ id }) => id,
  hash: ({ hash }) => hash,
  proof: ({ proof }) => proof,
  recordedAt: ({ recordedAt }) => recordedAt,
};

export const csvHeader = csvLine(Object.keys(COLUMNS));

export const csvRow = (entry: Entry): string => csvLine(Object.values(COLUMNS).map((valueIn) => valueIn(entry)));
