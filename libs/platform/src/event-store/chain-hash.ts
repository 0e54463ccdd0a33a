import { hash } from 'node:crypto';
import type { Json } from '@ledgerline/contracts/json';
import {
  type ChainHead,
  type ChainPlace,
  type EventMetadata,
  type Hash,
  type HistoryEntry,
  type NewEvent,
  organizationOf,
  type StreamName,
} from './event-store';

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
const linkHash = (content: Hash, previousHash: Hash): Hash => sha256({ content, previousHash });

export const contentHash = (event: ChainedEvent): Hash => sha256(contentOf(event));

/** Whether the chain includes the hash of the event's content, so that the content can be left out of a proof. */
const hasContentHash = ({ schemaVersion = '1' }: EventMetadata): boolean => schemaVersion !== '1';

function contentOf({ id, type, data, sealed, metadata, stream, revision }: ChainedEvent) {
  const organization = organizationOf(stream);
  return { data, id, metadata, organization, revision, sealed: sealed ?? null, stream, type };
}

const sha256 = (value: Json): Hash => hash('sha256', canonicalJson(value), 'hex');

/** A place of a chain as a verifier gets it. */
export type ChainLink = ShownLink | LeftOutLink;

/** An event with its place; null = not sealed yet. */
export type ShownLink = ChainedEvent & Pick<HistoryEntry, 'chain' | 'doubt'>;

/** A place whose event is not shown: the hash of its content still binds the places before it to those after it. */
interface LeftOutLink {
  readonly contentHash: Hash;
  readonly chain: ChainPlace;
}

export type SealedLink = ChainLink & { readonly chain: ChainPlace };

/** Null for an event that cannot be left out: it is not sealed, or its hash does not include its content's hash. */
export const leaveOut = (entry: HistoryEntry): LeftOutLink | null =>
  entry.chain && hasContentHash(entry.metadata) ? { contentHash: contentHash(entry), chain: entry.chain } : null;

/** The hash of a link's content after another hash than the one it names. */
export const hashAfter = (link: ChainLink, previousHash: Hash): Hash =>
  'contentHash' in link ? linkHash(link.contentHash, previousHash) : chainHash(link, previousHash);

/** Whether its hash is that of its content and of the hash that it names as the previous one. */
export const isConsistent = (link: SealedLink): boolean => hashAfter(link, link.chain.previousHash) === link.chain.hash;

export const idOf = (link: ChainLink): { readonly id?: string } => ('id' in link ? { id: link.id } : {});

/**
 * `sealed` = its hash at its place of the chain is that of its content; `pending` = too new to be sealed; `unproven` = it
 * is not what was sealed, was not sealed in time, or was written by something else.
 */
export const PROOFS = ['sealed', 'pending', 'unproven'] as const;
export type Proof = (typeof PROOFS)[number];

/** How far an entry is proven by itself; whether the chain leads on from it to a signed head is proven by verify-chain.ts. */
export function proofOf(entry: HistoryEntry): Proof {
  const { chain, doubt } = entry;
  if (doubt) return 'unproven';
  if (!chain) return 'pending';
  return chainHash(entry, chain.previousHash) === chain.hash ? 'sealed' : 'unproven';
}

/**
 * RFC 8785: no white space, names sorted by UTF-16 code units, numbers and strings as ECMAScript writes them.
 * A lone surrogate, which the RFC leaves out, is written as its six-character escape; what JSON drops is dropped.
 */
export function canonicalJson(value: Json | undefined): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  if (isList(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  let members = '';
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value);
