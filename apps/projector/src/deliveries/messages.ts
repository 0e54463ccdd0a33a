import type { DestinationDetails } from '@ledgerline/contracts/events/destination.events';
import { audited, auditedActor } from '@ledgerline/domain/audit/audited-events';
import type { Json } from '@ledgerline/contracts/json';
import { headLine, streamLine } from '@ledgerline/platform/event-store/audit-export';
import { asDecided, occurredAt } from '@ledgerline/platform/event-store/event-store';
import type { SignedHead } from '@ledgerline/platform/event-store/head-statement';
import { v5 } from 'uuid';
import type { ChainEntry } from './chain-reader';

/** A message as it is kept and sent: the same bytes at each try. */
export interface NewDelivery {
  readonly id: string;
  readonly firstRevision: number;
  readonly lastRevision: number;
  readonly previousHash: string | null;
  readonly headRevision: number | null;
  readonly type: string;
  readonly body: string;
}

/** Ids of deliveries are derived from their destination and what they hold. */
const NAMESPACE = '0f5b7c1e-6f0e-4d7e-9a53-2d3f6a1c8e94';
const deliveryId = (destination: string, content: string): string => v5(`${destination} ${content}`, NAMESPACE);

/** A message for each entry that a webhook wants. It names no person but by id. */
export const webhookDeliveries = (
  destination: string,
  { organizationId, sends }: Pick<DestinationDetails, 'organizationId' | 'sends'>,
  entries: readonly ChainEntry[],
): readonly NewDelivery[] =>
  entries.flatMap((entry) => {
    const { chain, metadata } = entry;
    const { action, target, changes } = audited(entry, asDecided(entry));
    if (!sends.includes(action)) return [];
    const data = {
      id: entry.id,
      organizationId,
      ...subjectOf(target.type, target.id, entry.data['websiteId']),
      position: chain.revision,
      actor: auditedActor(metadata),
      target,
      changes,
    };
    const body = JSON.stringify({ type: action, timestamp: occurredAt(entry), data });
    const places = { firstRevision: chain.revision, lastRevision: chain.revision, previousHash: chain.previousHash };
    return [{ id: deliveryId(destination, entry.id), ...places, headRevision: null, type: action, body }];
  });

/** What the message is about, where there is a query about it. */
function subjectOf(type: string, id: string | null, websiteId: Json | undefined): object {
  if (type === 'link' || type === 'monitor') return { [`${type}Id`]: id };
  if (type === 'website') return { websiteId: id };
  return typeof websiteId === 'string' ? { websiteId } : {};
}

export const AUDIT_TYPE = 'audit';
const MAX_BYTES = 1_000_000;

/**
 * The next message of an audit stream: as many entries as 1 MB holds, and the newest signed head where the receiver has
 * everything below it. Undefined where there is neither.
 */
export function auditDelivery(
  destination: string,
  { nextRevision, headRevision, hash }: { nextRevision: number; headRevision: number; hash: string | null },
  entries: readonly ChainEntry[],
  signed: SignedHead | null,
): NewDelivery | undefined {
  const lines: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const { action, target } = audited(entry, asDecided(entry));
    const line = streamLine(entry, {
      action,
      actor: auditedActor(entry.metadata),
      target: { type: target.type, id: target.id },
    });
    bytes += Buffer.byteLength(line) + 1;
    if (lines.length > 0 && bytes > MAX_BYTES) break;
    lines.push(line);
  }
  const lastRevision = nextRevision + lines.length - 1;
  const isNew = signed !== null && signed.revision > headRevision && signed.revision <= lastRevision;
  if (isNew) lines.push(headLine(signed));
  if (lines.length === 0) return undefined;
  const held = isNew ? signed.revision : null;
  return {
    id: deliveryId(destination, `${nextRevision} ${lastRevision} ${held ?? ''}`),
    firstRevision: nextRevision,
    lastRevision,
    previousHash: hash,
    headRevision: held,
    type: AUDIT_TYPE,
    body: lines.map((line) => `${line}\n`).join(''),
  };
}
