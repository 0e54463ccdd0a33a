import { BEFORE_FIRST, type ChainLink } from './chain-hash';
import { ChainWalk, type ChainWalkVerdict } from './chain-walk';
import type { ChainHead, EventStore, HistoryEntry, SealedHead } from './event-store';
import { historyEntries } from './read-whole';
import { verifySealedHead, type PublicKeys } from './signed-head';

export interface ChainVerdict extends ChainWalkVerdict {
  /** The newest sealed place; null for an organization without history. */
  readonly head: SealedHead | null;
  /** Only where keys were given. `none` = nothing is sealed, or signatures are kept elsewhere, as on Postgres. */
  readonly signature?: 'valid' | 'invalid' | 'none';
}

interface Options {
  /** Heads kept elsewhere, signed ones for example; the chain must run through each of them. */
  readonly heads?: readonly ChainHead[];
  /** The Ed25519 public keys that heads may be signed with. */
  readonly signedBy?: PublicKeys;
  readonly pageSize?: number;
}

const PAGE = 500;

type History = Pick<EventStore, 'readBack' | 'chainHead'>;

/**
 * Reads an organization's history newest first, in pages, and proves that it is what was recorded: every event hashes
 * to its place's hash, every place follows the one before, from the head down to the first.
 */
export async function verifyChain(
  store: History,
  organization: string,
  { heads = [], signedBy, pageSize = PAGE }: Options = {},
): Promise<ChainVerdict> {
  const head = await store.chainHead(organization);
  const sealedSoFar = head ?? BEFORE_FIRST; // what is sealed from now on counts as unsealed
  const walked = await verifyHistory(store, organization, [...heads, sealedSoFar], { pageSize });
  const { firstInvalidAt: _, ...found } = walked;
  const verdict = { ...found, head };
  if (!signedBy) return verdict;
  const signature = checkSignature(organization, head, signedBy);
  return { ...verdict, valid: verdict.valid && signature !== 'invalid', signature };
}

/** The proof over a history in a store that runs through these heads; what is recorded meanwhile lies above them. */
export const verifyHistory = (
  store: History,
  organization: string,
  heads: readonly ChainHead[],
  { pageSize = PAGE, onPage, overdueBefore }: WalkOptions = {},
): Promise<ChainWalkVerdict> => {
  const entries = historyEntries(store, organization, pageSize, onPage);
  const links = overdueBefore ? withOverdue(entries, overdueBefore) : entries;
  return verifyLinks(links, heads, () => store.chainHead(organization));
};

interface WalkOptions {
  readonly pageSize?: number;
  readonly onPage?: (entries: number) => void;
  /** Events recorded before this time may not lie above the newest head. */
  readonly overdueBefore?: Date | undefined;
}

async function* withOverdue(entries: AsyncIterable<HistoryEntry>, before: Date): AsyncGenerator<HistoryEntry, void> {
  for await (const entry of entries) yield entry.recordedAt < before ? { ...entry, doubt: 'overdue' } : entry;
}

/**
 * The same proof over links from anywhere, newest first: an export for example, in which events may be left out. The
 * chain must run through each of the heads and end in the newest of them; their signatures are not looked at. Where the
 * links come from a store, `latest` reads its head once they are read: what was recorded meanwhile lies above the heads.
 */
export async function verifyLinks(
  links: AsyncIterable<ChainLink> | Iterable<ChainLink>,
  heads: readonly ChainHead[],
  latest?: () => Promise<ChainHead | null>,
): Promise<ChainWalkVerdict> {
  const walk = new ChainWalk(heads);
  for await (const link of links) walk.see(link);
  return walk.verdict((await latest?.()) ?? undefined);
}

function checkSignature(organization: string, head: SealedHead | null, keys: PublicKeys): 'valid' | 'invalid' | 'none' {
  if (head?.signature === undefined) return 'none';
  return verifySealedHead(organization, head, keys) === 'valid' ? 'valid' : 'invalid';
}
