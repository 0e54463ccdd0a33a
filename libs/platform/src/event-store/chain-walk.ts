import { chainHash, contentHash, GENESIS, hasContentHash, linkHash, type ChainedEvent } from './chain-hash';
import type { ChainHead, ChainPlace, Hash, HistoryEntry } from './event-store';

/** A place of a chain as a verifier gets it. */
export type ChainLink = ShownLink | LeftOutLink;

/** An event with its place; null = not sealed yet. */
export type ShownLink = ChainedEvent & { readonly chain: ChainPlace | null };

/** A place whose event is not shown: the hash of its content still binds the places before it to those after it. */
export interface LeftOutLink {
  readonly contentHash: Hash;
  readonly chain: ChainPlace;
}

/** Null for an event that cannot be left out: it is not sealed, or its hash does not include its content's hash. */
export const leaveOut = (entry: HistoryEntry): LeftOutLink | null =>
  entry.chain && hasContentHash(entry.metadata) ? { contentHash: contentHash(entry), chain: entry.chain } : null;

export interface ChainWalkVerdict {
  readonly valid: boolean;
  /** Places that were looked at and are proven by the chain. */
  readonly events: number;
  /** The newest events, which no head includes yet: they are not verified. */
  readonly unsealed: number;
  readonly firstInvalid?: InvalidPlace;
}

export interface InvalidPlace {
  /** Where in the chain the history stops being what was recorded. */
  readonly revision: number;
  readonly finding: 'changed' | 'dropped' | 'swapped' | 'inserted';
  /** Id of the event that was found there; absent where nothing was. */
  readonly id?: string;
}

/** What the next older place must be; `by` is the place that demands it. */
interface Demand extends ChainHead {
  readonly by?: SealedLink;
}

type SealedLink = ChainLink & { readonly chain: ChainPlace };

/** Places between two neighbours that belong there; those that turn up elsewhere are collected. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly elsewhere: Map<number, ChainLink>;
}

/** Walks down a chain and keeps the lowest place at which something was wrong. */
export class ChainWalk {
  private readonly heads: ReadonlyMap<number, Hash>;
  private readonly gaps: Gap[] = [];
  private events = 0;
  private unsealed = 0;
  private lowest: InvalidPlace | undefined;
  /** Undefined before the first sealed place. */
  private demanded: Demand | undefined;

  constructor(heads: readonly ChainHead[]) {
    this.heads = new Map(heads.map(({ revision, hash }) => [revision, hash]));
  }

  /** Places must come newest first. */
  see(link: ChainLink): void {
    if (isSealed(link) && !this.isBeyondHeads(link)) this.seeSealed(link);
    else if (this.demanded) this.report(this.demanded.revision + 1, 'inserted', link);
    else this.unsealed += 1;
  }

  verdict(): ChainWalkVerdict {
    const end = this.demanded ?? this.newestHead();
    if (end && end.revision >= 0) this.open(0, end.revision);
    else if (end && !meets(GENESIS, end)) this.report(0, 'dropped');
    for (const gap of this.gaps) this.close(gap);
    const { events, unsealed, lowest } = this;
    return { valid: !lowest, events, unsealed, ...(lowest ? { firstInvalid: lowest } : {}) };
  }

  private seeSealed(link: SealedLink): void {
    this.events += 1;
    const { revision, hash, previousHash } = link.chain;
    const isItself = hashOf(link, previousHash) === hash && (this.heads.get(revision) ?? hash) === hash;
    const demanded = this.demanded ?? this.newestHead() ?? link.chain;
    if (!isItself || (revision === demanded.revision && !meets(hash, demanded))) this.report(revision, 'changed', link);
    if (this.demanded && revision > demanded.revision) {
      this.misplaced(link);
    } else {
      if (revision < demanded.revision) this.open(revision + 1, demanded.revision);
      this.demanded = { revision: revision - 1, hash: previousHash, by: link };
    }
  }

  /** A link at a lower place than its revision: swapped with another if that one is missing higher up, else inserted. */
  private misplaced(link: SealedLink): void {
    const { revision } = link.chain;
    const gap = this.gaps.find(({ from, to }) => from <= revision && revision <= to);
    if (gap && !gap.elsewhere.has(revision)) gap.elsewhere.set(revision, link);
    else this.report(revision, 'inserted', link);
  }

  private open(from: number, to: number): void {
    this.gaps.push({ from, to, elsewhere: new Map() });
  }

  private close({ from, to, elsewhere }: Gap): void {
    let revision = from;
    while (elsewhere.has(revision)) revision += 1;
    if (revision <= to) this.report(revision, 'dropped');
    const oldest = [...elsewhere.values()].at(-1);
    if (oldest) this.report(from - 1, 'swapped', oldest);
  }

  private report(revision: number, finding: InvalidPlace['finding'], link?: ChainLink): void {
    if (this.lowest && revision > this.lowest.revision) return;
    this.lowest = { revision, finding, ...(link && 'id' in link ? { id: link.id } : {}) };
  }

  private isBeyondHeads({ chain }: SealedLink): boolean {
    const newest = this.demanded ? undefined : this.newestHead();
    return newest !== undefined && chain.revision > newest.revision;
  }

  private newestHead(): ChainHead | undefined {
    const revision = Math.max(-1, ...this.heads.keys());
    const hash = this.heads.get(revision);
    return hash === undefined ? undefined : { revision, hash };
  }
}

const isSealed = (link: ChainLink): link is SealedLink => link.chain !== null;

const hashOf = (link: SealedLink, previousHash: Hash): Hash =>
  'contentHash' in link ? linkHash(link.contentHash, previousHash) : chainHash(link, previousHash);

/** Also where the place above names another hash, but only this one makes that place what it is. */
const meets = (hash: Hash, { hash: named, by }: Demand): boolean =>
  hash === named || (by !== undefined && hashOf(by, hash) === by.chain.hash);
