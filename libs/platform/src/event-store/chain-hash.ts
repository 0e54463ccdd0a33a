import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json';
import {
  organizationOf,
  type ChainHead,
  type EventMetadata,
  type Hash,
  type NewEvent,
  type StreamName,
} from './event-store';
import type { Json } from '@ledgerline/contracts/json';

/** What the first event of a chain names as its previous hash. */
export const GENESIS: Hash = '0'.repeat(64);

/** The head of a chain without events. */
export const BEFORE_FIRST: ChainHead = { revision: -1, hash: GENESIS };

/** An event as the chain sees it: at its place in its stream, but nowhere in the global order. */
export interface ChainedEvent extends NewEvent {
  readonly stream: StreamName;
  readonly revision: number;
}

/**
 * The chain's formula, one chain per organization in the order its events were recorded:
 *
 *     content = SHA-256( canonical JSON (RFC 8785), in UTF-8, of
 *       { data, id, metadata, organization, revision, sealed, stream, type } )
 *     hash = SHA-256( canonical JSON of { content, previousHash } )
 *
 * `sealed` is the ciphertext or null; `previousHash` is the hash before it in hex, 64 zeros for the first event.
 * The global position and the time of recording stay out, so a copy in another store keeps every hash. Events whose
 * metadata has `schemaVersion` 1 or none are hashed in one step instead: SHA-256 of the canonical JSON of all of
 * these members and `previousHash`.
 */
export function chainHash(event: ChainedEvent, previousHash: Hash): Hash {
  if (hasContentHash(event.metadata)) return linkHash(contentHash(event), previousHash);
  return sha256({ ...contentOf(event), previousHash });
}

/** The hash of an event whose content is represented by its hash. */
export const linkHash = (content: Hash, previousHash: Hash): Hash => sha256({ content, previousHash });

export const contentHash = (event: ChainedEvent): Hash => sha256(contentOf(event));

/** Whether the chain includes the hash of the event's content, so that the content can be left out of a proof. */
export const hasContentHash = ({ schemaVersion = '1' }: EventMetadata): boolean => schemaVersion !== '1';

function contentOf({ id, type, data, sealed, metadata, stream, revision }: ChainedEvent) {
  const organization = organizationOf(stream);
  return { data, id, metadata, organization, revision, sealed: sealed ?? null, stream, type };
}

const sha256 = (value: Json): Hash => hash('sha256', canonicalJson(value), 'hex');
