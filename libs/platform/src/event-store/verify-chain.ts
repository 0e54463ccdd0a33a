import { chainHash, GENESIS, isSignedHead } from './chain-hash';
import type { KeyObject } from 'node:crypto';
import type { ChainHead, ChainPlace, EventStore, Hash, HistoryEntry, SealedHead } from './event-store';

export interface ChainVerdict {
  readonly valid: boolean;
  /** Events that were looked at and are proven by the chain. */
  readonly events: number;
  /** The newest events, which are not sealed yet and not verified. */
  readonly unsealed: number;
  /** The newest sealed place; null for an organization without history. */
  readonly head: SealedHead | null;
  /** Only where a key was given. `none` = nothing is sealed, or the store keeps no signatures, as Postgres does. */
  readonly signature?: 'valid' | 'invalid' | 'none';
  readonly firstInvalid?: InvalidPlace;
}

export interface InvalidPlace {
  /** Where in the chain the history stops being what was recorded. */
  readonly revision: number;
  readonly finding: 'changed' | 'dropped' | 'swapped' | 'inserted';
  /** Id of the event that was found there; absent where nothing was. */
  readonly id?: string;
}

interface Options {
  /** Heads kept elsewhere, signed ones for example; the chain must run through each of them. */
  readonly heads?: readonly ChainHead[];
  /** The Ed25519 public key that heads must be signed with. */
  readonly signedBy?: KeyObject;
  readonly pageSize?: number;
}

/**
 * Reads an organization's history newest first, in pages, and proves that it is what was recorded: every event hashes
 * to its place's hash, every place follows the one before, from the head down to the first.
 */
export async function verifyChain(
  store: Pick<EventStore, 'readBack' | 'chainHead'>,
  organization: string,
  { heads = [], signedBy, pageSize = 500 }: Options = {},
): Promise<ChainVerdict> {
  const head = await store.chainHead(organization);
  const walk = new ChainWalk([...heads, ...(head ? [head] : [])]);
  let page: readonly HistoryEntry[];
  let before: string | undefined;
  do {
    page = await store.readBack({ organization, limit: pageSize, ...(before === undefined ? {} : { before }) });
    for (const entry of page) walk.see(entry);
    before = page.at(-1)?.cursor;
  } while (page.length === pageSize);
  const verdict = { ...walk.verdict(), head };
  if (!signedBy) return verdict;
  const signature = checkSignature(organization, head, signedBy);
  return { ...verdict, valid: verdict.valid && signature !== 'invalid', signature };
}

function checkSignature(organization: string, head: SealedHead | null, key: KeyObject): 'valid' | 'invalid' | 'none' {
  if (head?.signature === undefined) return 'none';
  return isSignedHead(key, organization, head, head.signature) ? 'valid' : 'invalid';
}

/** Places between two neighbours that belong there; those that turn up elsewhere are collected. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly elsewhere: Map<number, HistoryEntry>;
}

/** Walks down a chain and keeps the lowest place at which something was wrong. */
class ChainWalk {
  private readonly heads: ReadonlyMap<number, Hash>;
  private readonly gaps: Gap[] = [];
  private events = 0;
  private unsealed = 0;
  private lowest: InvalidPlace | undefined;
  /** What the next older event must be; undefined before the first. */
  private demanded: ChainHead | undefined;

  constructor(heads: readonly ChainHead[]) {
    this.heads = new Map(heads.map(({ revision, hash }) => [revision, hash]));
  }

  see(entry: HistoryEntry): void {
    if (entry.chain) this.seeSealed(entry, entry.chain);
    else if (this.demanded) this.report({ revision: this.demanded.revision + 1, finding: 'inserted', id: entry.id });
    else this.unsealed += 1;
  }

  verdict(): Omit<ChainVerdict, 'head'> {
    const end = this.demanded ?? this.newestHead();
    if (end && end.revision >= 0) this.open(0, end.revision);
    else if (end && end.hash !== GENESIS) this.report({ revision: 0, finding: 'dropped' });
    for (const gap of this.gaps) this.close(gap);
    const { events, unsealed, lowest } = this;
    return { valid: !lowest, events, unsealed, ...(lowest ? { firstInvalid: lowest } : {}) };
  }

  private seeSealed(entry: HistoryEntry, chain: ChainPlace): void {
    this.events += 1;
    const { revision, hash, previousHash } = chain;
    const isItself = chainHash(entry, previousHash) === hash && (this.heads.get(revision) ?? hash) === hash;
    const demanded = this.demanded ?? this.newestHead() ?? chain;
    if (!isItself || (revision === demanded.revision && hash !== demanded.hash)) this.changed(entry, chain);
    if (this.demanded && revision > demanded.revision) {
      this.misplaced(entry, chain);
    } else {
      if (revision < demanded.revision) this.open(revision + 1, demanded.revision);
      this.demanded = { revision: revision - 1, hash: previousHash };
    }
  }

  private changed({ id }: HistoryEntry, { revision }: ChainPlace): void {
    this.report({ revision, finding: 'changed', id });
  }

  /** An event at a lower place than its revision: swapped with another if that one is missing higher up, else inserted. */
  private misplaced(entry: HistoryEntry, { revision }: ChainPlace): void {
    const gap = this.gaps.find(({ from, to }) => from <= revision && revision <= to);
    if (gap && !gap.elsewhere.has(revision)) gap.elsewhere.set(revision, entry);
    else this.report({ revision, finding: 'inserted', id: entry.id });
  }

  private open(from: number, to: number): void {
    this.gaps.push({ from, to, elsewhere: new Map() });
  }

  private close({ from, to, elsewhere }: Gap): void {
    let revision = from;
    while (elsewhere.has(revision)) revision += 1;
    if (revision <= to) this.report({ revision, finding: 'dropped' });
    const oldest = [...elsewhere.values()].at(-1);
    if (oldest) this.report({ revision: from - 1, finding: 'swapped', id: oldest.id });
  }

  private report(place: InvalidPlace): void {
    if (!this.lowest || place.revision <= this.lowest.revision) this.lowest = place;
  }

  private newestHead(): ChainHead | undefined {
    const revision = Math.max(-1, ...this.heads.keys());
    const hash = this.heads.get(revision);
    return hash === undefined ? undefined : { revision, hash };
  }
}
