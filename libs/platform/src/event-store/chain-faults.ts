import { idOf, hashAfter, isConsistent, type SealedLink, type ShownLink } from './appended-events';
import type { ChainHead, Hash } from './event-store';

/** The fault of a chain, and where it stops being what was recorded. */
export interface InvalidPlace {
  readonly revision: number;
  /**
   * `unsealed` = it has no place, although it had one or there was time to give it one; `head_mismatch` = its event is
   * right in itself and follows the one before, but is not the one that the head names.
   */
  readonly finding: 'changed' | 'dropped' | 'swapped' | 'inserted' | 'unsealed' | 'head_mismatch';
  /** Id of the event that was found there; absent where nothing was. */
  readonly id?: string;
}

interface Fault extends InvalidPlace {
  /** Number of the link, from 0; absent after the last one. */
  readonly at?: number;
}

/** An event that does not belong where it was found. */
interface Stray {
  /** The place it names itself. */
  readonly revision: number;
  readonly id?: string;
  /** Number of the link. */
  readonly at: number;
  /** The place whose event was expected there. */
  readonly found: number;
  /** Id of the event of that place, where it is the next link. */
  readonly below?: string | undefined;
  /** True if it stands there instead of the event of that place, and not between two places. */
  readonly instead: boolean;
}

/** `at` = number of the link that stands there. */
interface Changed extends ChangedPlace {
  readonly at: number;
}

/** Places without their event; `at` = number of the first link below them. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly at?: number;
}

/** More are not compared with each other. */
const MOST = 1_000;
const MOST_CHANGED = 100;

/** Collects what does not fit, and names the lowest place of it: what is missing here may have been found there. */
export class ChainFaults {
  private lowest: Fault | undefined;
  private readonly strays: Stray[] = [];
  private readonly gaps: Gap[] = [];
  private readonly changed: Changed[] = [];

  add(fault: Fault): void {
    if (!this.lowest || fault.revision <= this.lowest.revision) this.lowest = fault;
  }

  addChanged(place: Changed): void {
    this.add({ revision: place.demanded.revision, finding: 'changed', at: place.at, ...idOf(place.link) });
    if (this.changed.length === MOST_CHANGED) this.changed.shift();
    this.changed.push(place);
  }

  addStray(stray: Stray): void {
    if (this.strays.length < MOST) this.strays.push(stray);
    else this.add(inserted(stray));
  }

  addGap(gap: Gap): void {
    if (this.gaps.length < MOST) this.gaps.push(gap);
    else this.add({ revision: gap.from, finding: 'dropped', ...atOf(gap) });
  }

  /** Once all links were seen. */
  first(): Fault | undefined {
    /** Places of which something is said already: their event was found elsewhere, or something else in its place. */
    const explained = new Set<number>();
    for (const stray of this.strays) {
      const isMoved = this.gaps.some(({ from, to }) => from <= stray.revision && stray.revision <= to);
      if (isMoved) explained.add(stray.revision);
      if (stray.instead) explained.add(stray.found);
      this.add(isMoved ? swapped(stray) : inserted(stray));
    }
    for (const gap of this.gaps) {
      let revision = gap.from;
      while (explained.has(revision)) revision += 1;
      if (revision <= gap.to) this.add({ revision, finding: 'dropped', ...atOf(gap) });
    }
    return this.lowest?.finding === 'changed' && this.isExchanged(this.lowest)
      ? { ...this.lowest, finding: 'swapped' }
      : this.lowest;
  }

  private isExchanged({ revision }: Fault): boolean {
    const lower = this.changed.find(({ demanded }) => demanded.revision === revision);
    return lower !== undefined && this.changed.some((upper) => upper !== lower && areExchanged(lower, upper));
  }
}

/**
 * Describes two neighbours that were exchanged: the older event is found first, and the newer one stands at the lower
 * place.
 */
function swapped({ revision, id, at, found, instead, below }: Stray): Fault {
  const areNeighbours = !instead && revision === found - 1;
  return areNeighbours
    ? { revision, finding: 'swapped', at: at + 1, ...idIn(below) }
    : { revision: found, finding: 'swapped', at, ...idIn(id) };
}

/** Instead of the event of a place it is what that one was changed into. */
const inserted = ({ id, at, found, instead }: Stray): Fault => ({
  ...(instead ? { revision: found, finding: 'changed' } : { revision: found + 1, finding: 'inserted' }),
  at,
  ...idIn(id),
});

const idIn = (id: string | undefined) => (id === undefined ? {} : { id });
const atOf = ({ at }: Gap) => (at === undefined ? {} : { at });

/** A place at which something else stands than was recorded. */
interface ChangedPlace {
  readonly link: SealedLink;
  /** The head that the place above demands there. */
  readonly demanded: ChainHead;
}

/**
 * Returns whether two events, some of their members or the numbers of their places were exchanged: to exchange them
 * again restores both.
 */
function areExchanged(lower: ChangedPlace, upper: ChangedPlace): boolean {
  if (areRenumbered(lower, upper)) return true;
  // the hashes of a place may have been exchanged with its event, or not
  const previous = [lower.link.chain.previousHash, upper.link.chain.previousHash];
  const canBe = (link: SealedLink, ...hashes: readonly Hash[]): boolean =>
    previous.some((previousHash) => hashes.includes(hashAfter(link, previousHash)));
  for (const [low, high] of exchanges(lower.link, upper.link))
    if (canBe(high, upper.demanded.hash) && canBe(low, lower.demanded.hash, upper.link.chain.hash)) return true;
  return false;
}

const areRenumbered = (lower: ChangedPlace, upper: ChangedPlace): boolean =>
  lower.link.chain.revision === upper.demanded.revision &&
  upper.link.chain.revision === lower.demanded.revision &&
  isConsistent(lower.link) &&
  isConsistent(upper.link);

const MEMBERS = ['id', 'type', 'data', 'sealed', 'metadata', 'stream', 'revision'] as const;

/** Both links with any members of the other one. */
function* exchanges(lower: SealedLink, upper: SealedLink): Generator<readonly [SealedLink, SealedLink], void> {
  if ('contentHash' in lower || 'contentHash' in upper) {
    yield [upper, lower];
    return;
  }
  const different = MEMBERS.filter((name) => JSON.stringify(lower[name]) !== JSON.stringify(upper[name]));
  for (let bits = 1; bits < 2 ** different.length; bits += 1) {
    const names = different.filter((_, n) => ((bits >> n) & 1) === 1);
    yield [
      { ...lower, ...membersOf(upper, names) },
      { ...upper, ...membersOf(lower, names) },
    ];
  }
}

const membersOf = (link: ShownLink, names: readonly (typeof MEMBERS)[number][]) =>
  Object.fromEntries(names.map((name) => [name, link[name]]));
