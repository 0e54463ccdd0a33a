import { chainHash, contentHash, hasContentHash, linkHash, type ChainedEvent } from './chain-hash';
import type { ChainPlace, Hash, HistoryEntry } from './event-store';

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
