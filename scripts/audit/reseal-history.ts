import type { AuditLogResealed } from '@ledgerline/contracts/events/audit-log.events';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { ChainHead, EventStore } from '@ledgerline/platform/event-store/event-store';
import type { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { resealStream } from '@ledgerline/platform/event-store/streams';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { newId } from '../../apps/api/src/commands/idempotency-store';
import { recordBySystem } from './record-by-system';

export interface Resealing {
  readonly organizationId: string;
  /** Of the operator, for the audit log. */
  readonly reason: string;
  /** Why its events are not sealed at the moment, if they are not. */
  readonly fault: string | undefined;
  readonly sealAnew: () => Promise<ChainHead>;
}

/**
 * Records that a history which does not lead on from what was sealed, or cannot be sealed on, is sealed as it is now, then
 * does it. @throws StartFailure
 */
export async function resealHistory(
  store: EventStore,
  signer: HeadSigner,
  { organizationId, reason, fault, sealAnew }: Resealing,
): Promise<ChainHead> {
  const kept = await signer.keptHead(organizationId);
  const signedBy = await signer.publicKeys();
  const { valid } = await verifyChain(store, organizationId, { heads: kept ? [kept] : [], signedBy });
  if (valid && fault === undefined)
    throw new StartFailure(`There is nothing to decide: the history of ${organizationId} is as it was sealed.`);
  const resealId = newId('seal');
  const lost = kept && { revision: kept.revision, hash: kept.hash };
  const data = { organizationId, resealId, reason, lost } satisfies AuditLogResealed['data'];
  const stream = resealStream(organizationId, resealId);
  await recordBySystem(store, stream, 'ResealAuditLog', { type: 'AuditLogResealed', data });
  return sealAnew();
}
