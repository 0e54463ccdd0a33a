import { v5 } from 'uuid';
import type { DestinationDetails } from '@ledgerline/contracts/events/destination.events';
import type { Json, JsonObject } from '@ledgerline/contracts/json';
import { audited, auditedActor } from '@ledgerline/domain/audit/audited-events';
import { type DestinationMessage, type MessageData, isWanted } from '@ledgerline/domain/messages/message';
import { renderMessage, messageLines } from '@ledgerline/domain/messages/message-text';
import { headLine, streamLine } from '@ledgerline/platform/event-store/audit-export';
import { asDecided, occurredAt } from '@ledgerline/platform/event-store/event-store';
import type { SignedHead } from '@ledgerline/platform/event-store/head-statement';
import type { ChainEntry } from './chain-reader';

/** A message as it is kept and sent: the same bytes at each try. */
export interface NewDelivery {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  /** Of a mail that has it, beside its text. */
  readonly html?: string | null;
  /** The website, link or monitor that it is about. */
  readonly subject: string | null;
  /** Of the audit log; null = it is of the intake log. */
  readonly places: {
    readonly firstRevision: number;
    readonly lastRevision: number;
    readonly previousHash: string | null;
    readonly headRevision: number | null;
  } | null;
}

/** Ids of deliveries are derived from their destination and what they hold. */
const NAMESPACE = '0f5b7c1e-6f0e-4d7e-9a53-2d3f6a1c8e94';
const deliveryId = (destination: string, content: string): string => v5(`${destination} ${content}`, NAMESPACE);

/** A message as one destination gets it; `content` tells it from all others that this one gets. */
export const deliveryOf = (
  destination: string,
  { kind, format }: Pick<DestinationDetails, 'kind' | 'format'>,
  content: string,
  message: DestinationMessage,
  places: NewDelivery['places'] = null,
): NewDelivery => ({
  id: deliveryId(destination, content),
  type: message.type,
  subject: message.data.websiteId ?? message.data.linkId ?? message.data.monitorId ?? null,
  body: kind === 'mail' ? messageLines(message).join('\n') : renderMessage(format, message),
  places,
});

/** The type of a mail of several messages. */
export const DIGEST_TYPE = 'digest';

/** One mail of several messages; its first line is that of the first. */
export const digestOf = (
  destination: string,
  parts: readonly Pick<NewDelivery, 'id' | 'body'>[],
): Pick<NewDelivery, 'id' | 'body'> => ({
  id: deliveryId(destination, parts.map(({ id }) => id).join(' ')),
  body: [`${parts[0]?.body.split('\n')[0]}, and ${parts.length - 1} more`, ...parts.map(({ body }) => body)].join(
    '\n\n',
  ),
});

/** A message for each entry of the audit log that a webhook wants. It names no person but by id. */
export const decidedDeliveries = (
  destination: string,
  details: DestinationDetails,
  entries: readonly ChainEntry[],
): readonly NewDelivery[] =>
  entries.flatMap((entry) => {
    const { chain, metadata } = entry;
    const { action, target, changes } = audited(entry, asDecided(entry));
    const data = {
      id: entry.id,
      organizationId: details.organizationId,
      ...subjectOf(target.type, target.id, entry.data['websiteId']),
      position: chain.revision,
      actor: auditedActor(metadata),
      target,
      changes,
    };
    const message = { type: action, timestamp: occurredAt(entry), data };
    if (!isWanted(details, message, monitorsIn(entry.data))) return [];
    const { revision, previousHash } = chain;
    const places = { firstRevision: revision, lastRevision: revision, previousHash, headRevision: null };
    return [deliveryOf(destination, details, entry.id, message, places)];
  });

/** The monitors that an incident is about. */
function monitorsIn({ monitorIds }: JsonObject): readonly string[] | undefined {
  return Array.isArray(monitorIds) ? monitorIds.filter((id) => typeof id === 'string') : undefined;
}

/** What the message is about, where there is a query about it. */
function subjectOf(type: string, id: string | null, websiteId: Json | undefined): Partial<MessageData> {
  if (id !== null && (type === 'link' || type === 'monitor' || type === 'website')) return { [`${type}Id`]: id };
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
): (NewDelivery & { readonly places: NonNullable<NewDelivery['places']> }) | undefined {
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
    type: AUDIT_TYPE,
    subject: null,
    places: { firstRevision: nextRevision, lastRevision, previousHash: hash, headRevision: held },
    body: lines.map((line) => `${line}\n`).join(''),
  };
}
