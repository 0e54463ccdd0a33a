import type {
  AuditLogExported,
  DeliveriesRetried,
  DestinationTested,
  PersonExported,
} from '@ledgerline/contracts/events/audit-log.events';
import { decider, type Command } from '../decider';

type ExportAuditLog = Command<'ExportAuditLog', AuditLogExported['data']>;

/** An export has a stream of its own, with one event. */
export const auditLogExport = decider<null, ExportAuditLog, AuditLogExported>({
  initial: null,
  decide: { ExportAuditLog: (_, data) => [{ type: 'AuditLogExported', data }] },
  evolve: { AuditLogExported: () => null },
});

type ExportPerson = Command<'ExportPerson', PersonExported['data']>;

export const personExport = decider<null, ExportPerson, PersonExported>({
  initial: null,
  decide: { ExportPerson: (_, data) => [{ type: 'PersonExported', data }] },
  evolve: { PersonExported: () => null },
});

type TestDestination = Command<'TestDestination', DestinationTested['data']>;
type RetryDeliveries = Command<'RetryDeliveries', DeliveriesRetried['data']>;
export type DestinationUse = TestDestination | RetryDeliveries;

/** Decides on uses of a destination that change nothing of it. */
export const destinationUse = decider<null, DestinationUse, DestinationTested | DeliveriesRetried>({
  initial: null,
  decide: {
    TestDestination: (_, data) => [{ type: 'DestinationTested', data }],
    RetryDeliveries: (_, data) => [{ type: 'DeliveriesRetried', data }],
  },
  evolve: { DestinationTested: () => null, DeliveriesRetried: () => null },
});
