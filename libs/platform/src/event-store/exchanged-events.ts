import { hashAfter, isConsistent, type SealedLink, type ShownLink } from './chain-link';
import type { ChainHead, Hash } from './event-store';

/** A place at which something else stands than was recorded. */
export interface ChangedPlace {
  readonly link: SealedLink;
  /** What the place above demands there. */
  readonly demanded: ChainHead;
}

/** Whether two events, some of their members or the numbers of their places were exchanged: to exchange them again restores both. */
export function areExchanged(lower: ChangedPlace, upper: ChangedPlace): boolean {
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
