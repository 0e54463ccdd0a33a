import type { AuditLogExported } from '@ledgerline/contracts/events/audit-log.events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportText, untilChained, untilSigned } from '@ledgerline/platform/audit-export/export-text';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { exportStream } from '@ledgerline/platform/event-store/streams';
import { newId } from '../../apps/api/src/commands/idempotency-store';
import { recordBySystem } from './record-by-system';

/** Records the export as done by the system, then writes it. @throws StartFailure for an unknown organization */
export async function exportHistory(
  store: EventStore,
  signer: HeadSigner,
  organizationId: string,
  output: NodeJS.WritableStream,
): Promise<void> {
  if ((await store.readBack({ organization: organizationId, limit: 1 })).length === 0)
    throw new StartFailure(`There is no organization "${organizationId}" in the event store.`);
  const revision = await untilChained(store, organizationId, await recordExport(store, organizationId));
  await untilSigned(signer, organizationId, revision);
  const head = await signer.signedHead(organizationId);
  if (!head) throw new StartFailure('No event is signed yet; is the projector running?');
  await pipeline(Readable.from(exportText(store, head)), output, { end: false });
}

/** Answers the id of the command. */
function recordExport(store: EventStore, organizationId: string): Promise<string> {
  const exportId = newId('exp');
  const data = { organizationId, exportId, format: 'ndjson', filter: {} } satisfies AuditLogExported['data'];
  const stream = exportStream(organizationId, exportId);
  return recordBySystem(store, stream, 'ExportAuditLog', { type: 'AuditLogExported', data });
}
