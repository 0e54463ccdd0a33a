import {
  BEFORE_FIRST,
  GENESIS,
  hashAfter,
  idOf,
  isConsistent,
  type ChainLink,
  type SealedLink,
} from './appended-events';
import { ChainFaults, type InvalidPlace } from './chain-faults';
import type { ChainHead, Hash } from './event-store';

export interface ChainWalkVerdict {
  readonly valid: boolean;
  /** Places that were looked at and are proven by the chain. */
  readonly events: number;
  /** The newest events, which no given head includes. */
  readonly unsealed: number;
  /** When the oldest of them was recorded; absent where there is none, or links do not say it. */
  readonly unsealedSince?: Date;
  readonly firstInvalid?: InvalidPlace;
  /** The number of the link, from 0, at which that is; absent after the last one. */
  readonly firstInvalidAt?: number;
}

/** The head that the next older place must have; `by` is the link that demands it. */
interface Demand extends ChainHead {
  readonly by?: SealedLink;
}

/** A link and its number. */
interface Seen {
  readonly link: SealedLink;
  readonly at: number;
}

/** The hash of a place that two heads give two hashes; no event has it. */
const CONTRADICTION = '';

/**
 * Walks down a chain from the newest of its heads. A link that does not fit is held until the next one shows what it is:
 * inserted if that one fits, else changed, or from elsewhere, or below a gap.
 */
export class ChainWalk {
  private readonly heads: ReadonlyMap<number, Hash>;
  private readonly newest: ChainHead | undefined;
  private readonly faults = new ChainFaults();
  private seen = 0;
  private events = 0;
  private unsealed = 0;
  private unsealedSince: Date | undefined;
  private lowestUnsealed: { readonly at: number; readonly id?: string } | undefined;
  /** The first and the last of the links above the newest head. */
  private above: { readonly first: Seen; readonly last: Seen } | undefined;
  /** Undefined before the first place that the heads include. */
  private demanded: Demand | undefined;
  private held: Seen | undefined;
  /** Set while what is demanded comes from a link that is wrong itself. */
  private isUncertain = false;

  constructor(heads: readonly ChainHead[]) {
    const byPlace = new Map<number, Hash>();
    for (const { revision, hash } of heads)
      byPlace.set(revision, (byPlace.get(revision) ?? hash) === hash ? hash : CONTRADICTION);
    this.heads = byPlace;
    this.newest = heads.toSorted((a, b) => b.revision - a.revision)[0];
  }

  /** Links must come newest first. */
  see(link: ChainLink): void {
    const at = this.seen++;
    if (!isSealed(link)) this.seeUnsealed(link, at);
    else if (!this.demanded && this.newest && link.chain.revision > this.newest.revision) this.seeAbove({ link, at });
    else {
      this.events += 1;
      this.demanded ??= this.begin(link.chain);
      this.place({ link, at });
    }
  }

  /** `latest` = the newest head after all links were read; without it none may lie above the given heads. */
  verdict(latest = this.newest): ChainWalkVerdict {
    this.demanded ??= this.begin(this.newest);
    this.settle();
    this.checkBeginning();
    const top = this.above?.first;
    if (top && top.link.chain.revision > (latest?.revision ?? -1)) this.reportAbove(top);
    const { at, ...firstInvalid } = this.faults.first() ?? {};
    const { events, unsealed, unsealedSince } = this;
    const found = { events, unsealed, unsealedSince };
    return 'revision' in firstInvalid
      ? { valid: false, ...found, firstInvalid, firstInvalidAt: at }
      : { valid: true, ...found };
  }

  /** Reports what is still demanded below the last link, where the chain must begin. */
  private checkBeginning(): void {
    const { demanded } = this;
    if (!demanded) return;
    if (demanded.revision >= 0) this.reportMissing(demanded.revision);
    else if (!this.isUncertain && !meets(GENESIS, demanded)) this.faults.add({ revision: 0, finding: 'dropped' });
  }

  private seeUnsealed(link: ChainLink, at: number): void {
    this.lowestUnsealed = { at, ...idOf(link) };
    if (!this.demanded) {
      this.count({ link, at });
    } else this.faults.add({ revision: this.demanded.revision + 1, finding: 'inserted', at, ...idOf(link) });
  }

  /** Reports that no link was seen of the lowest places, up to this one. */
  private reportMissing(to: number): void {
    const { lowestUnsealed: lowest, seen, faults } = this;
    if (lowest?.at === seen - 1) faults.add({ revision: 0, finding: 'unsealed', ...lowest });
    else faults.addGap({ from: 0, to });
  }

  /** Counts an event after the head, which lies in the same chain. */
  private seeAbove(seen: Seen): void {
    this.count(seen);
    const last = this.above?.last;
    if (last && !leadsTo(last.link, seen.link.chain)) this.reportAbove(last);
    if (!this.isItself(seen.link)) this.reportAbove(seen);
    this.above = { first: this.above?.first ?? seen, last: seen };
  }

  private count({ link, at }: { readonly link: ChainLink; readonly at: number }): void {
    this.unsealed += 1;
    if ('recordedAt' in link) this.unsealedSince = link.recordedAt;
    if ('doubt' in link && link.doubt === 'overdue') this.reportOverdue({ link, at });
  }

  private reportOverdue({ link, at }: { readonly link: ChainLink; readonly at: number }): void {
    this.faults.add({ revision: (this.newest?.revision ?? -1) + 1, finding: 'unsealed', at, ...idOf(link) });
  }

  private reportAbove({ link, at }: Seen): void {
    this.faults.add({ revision: (this.newest?.revision ?? -1) + 1, finding: 'inserted', at, ...idOf(link) });
  }

  private begin(first: ChainHead | undefined): Demand | undefined {
    const last = this.above?.last;
    if (last && this.newest && !leadsTo(last.link, this.newest)) this.reportAbove(last);
    return this.newest ?? first;
  }

  private place(seen: Seen): void {
    const { held } = this;
    if (!this.fits(seen.link)) {
      this.settle(seen.link);
      if (held) this.place(seen);
      else this.held = seen;
      return;
    }
    if (held) this.faults.addStray({ ...strayOf(held), found: seen.link.chain.revision, below: idOf(seen.link).id });
    this.held = undefined;
    this.isUncertain = false;
    this.demandBelow(seen.link);
  }

  private fits(link: SealedLink): boolean {
    const { demanded } = this;
    return link.chain.revision === demanded?.revision && meets(link.chain.hash, demanded) && this.isItself(link);
  }

  /** Decides what the held link is, by the one after it, which does not fit either. */
  private settle(next?: SealedLink): void {
    const { held, demanded } = this;
    this.held = undefined;
    if (!held || !demanded) return;
    const { link, at } = held;
    const { revision, hash } = link.chain;
    const place = demanded.revision;
    const isInPlace = next ? next.chain.revision === place - 1 : place === 0;
    const hasOtherNumber = hash === demanded.hash && hash !== next?.chain.hash;
    if (revision === place || hasOtherNumber) {
      this.settleChanged(held, demanded, next);
    } else if (isInPlace) {
      this.faults.addStray({ ...strayOf(held), found: place, instead: true });
      this.faults.addGap({ from: place, to: place, at });
      this.isUncertain = true;
      this.demanded = { revision: place - 1, hash: next?.chain.hash ?? GENESIS };
    } else if (revision < place) {
      this.faults.addGap({ from: revision + 1, to: place, at });
      this.isUncertain = !this.isItself(link);
      if (this.isUncertain) this.faults.add({ revision, finding: 'changed', at, ...idOf(link) });
      this.demandBelow(link);
    } else {
      this.faults.addStray({ ...strayOf(held), found: place });
    }
  }

  /** Below a link that is wrong, one that leads on to the next is as it was recorded. */
  private settleChanged({ link, at }: Seen, demanded: Demand, next: SealedLink | undefined): void {
    const { revision } = demanded;
    const isRight = isConsistent(link) && leadsTo(link, next?.chain ?? BEFORE_FIRST);
    const isAsRecorded = isRight && this.isUncertain && this.isItself(link);
    if (isRight && demanded === this.newest && link.chain.hash !== demanded.hash)
      this.faults.add({ revision, finding: 'head_mismatch', at, ...idOf(link) });
    else if (!isAsRecorded) this.faults.addChanged({ link, demanded, at });
    this.isUncertain = !isAsRecorded;
    this.demanded = { revision: revision - 1, hash: link.chain.previousHash, by: link };
  }

  private demandBelow(link: SealedLink): void {
    this.demanded = { revision: link.chain.revision - 1, hash: link.chain.previousHash, by: link };
  }

  /** Its hash is that of its content, and of the head at its place if one was given. */
  private isItself(link: SealedLink): boolean {
    const { revision, hash } = link.chain;
    return isConsistent(link) && (this.heads.get(revision) ?? hash) === hash;
  }
}

const leadsTo = ({ chain }: SealedLink, { revision, hash }: ChainHead): boolean =>
  chain.revision - 1 === revision && chain.previousHash === hash;

const strayOf = ({ link, at }: Seen) => ({ revision: link.chain.revision, at, instead: false, ...idOf(link) });

const isSealed = (link: ChainLink): link is SealedLink => link.chain !== null;

/**
 * Returns whether the hash is the demanded one, also where the place above names another, but only this one makes that
 * place what it is.
 */
const meets = (hash: Hash, { hash: named, by }: Demand): boolean =>
  hash === named || (by !== undefined && hashAfter(by, hash) === by.chain.hash);
