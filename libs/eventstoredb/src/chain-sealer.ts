import { createPublicKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { BEFORE_FIRST, chainHash } from '@ledgerline/platform/event-store/chain-hash';
import { lastOf } from '@ledgerline/platform/event-store/checked-append';
import type { ChainHead, RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import type { SealedHeads } from '@ledgerline/platform/event-store/sealed-heads';
import { SealingFault } from '@ledgerline/platform/event-store/verify-chain';
import {
  type PublicKeys,
  type SignedHead,
  publicKeysOf,
  verifySealedHead,
} from '@ledgerline/platform/event-store/head-statement';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { compareCursors } from './position';
import { headOf, MAX_PLACES, type Seal, sealedHeadOf, signSeal, type StreamTail } from './seal';
import type { OwnOrganizations } from './own-organizations';
import type { Seals } from './seals';

/** How far the events of an organization are sealed. */
interface Sealed {
  readonly head: ChainHead;
  readonly cursor: Cursor;
  /** Of the newest event in its stream of seals. */
  readonly revision: bigint | undefined;
  /** Revision there of the first seal that counts. */
  readonly begin: bigint;
  /** When it was last read from the store, by `performance.now()`. */
  readonly checkedAt: number;
}

const MAX_ORGANIZATIONS = 10_000;
/** What this process has sealed is compared with what is stored so often, ms; until then, a seal that was deleted is not missed. */
const CHECKED_EVERY_MS = 30_000;

/** Chains the events of an organization and seals them; each seal is fenced by the expected revision of its stream. */
export class ChainSealer {
  private readonly sealed = new LRUCache<string, Sealed>({ max: MAX_ORGANIZATIONS });
  private readonly checks: SealChecks | undefined;

  /** Without `heads`, seals are continued as they are found: for a copy, which is verified and compared with its source. */
  constructor(
    private readonly seals: Seals,
    private readonly key: KeyObject,
    private readonly heads?: SealedHeads,
    private readonly own?: OwnOrganizations,
  ) {
    this.checks = heads && new SealChecks(seals, key, heads);
  }

  /** From where the events of all organizations are sealed on, in a log with this head; what is sealed is looked up again. */
  async begin(head: Cursor): Promise<Cursor> {
    this.sealed.clear();
    if (this.own) for await (const organization of this.organizations()) this.own.add(organization);
    return (await this.checks?.resume(head)) ?? BEGINNING;
  }

  /** Whether the events of an organization are sealed; late = it is only now found that they are. @throws LogUnavailable */
  owns(organization: string, events: readonly RecordedEvent[]): ReturnType<OwnOrganizations['owns']> {
    return this.own?.owns(organization, events) ?? Promise.resolve('yes');
  }

  /** Those of which something was sealed. */
  async *organizations(): AsyncGenerator<string, void> {
    if (this.heads) yield* this.heads.organizations();
  }

  /** @throws SealingFault unless its seals lead on from what was sealed before */
  async check(organization: string): Promise<void> {
    await this.checks?.tail(organization);
  }

  /** Of the last event that is sealed. @throws SealingFault, as `seal` does */
  async cursorOf(organization: string): Promise<Cursor> {
    return (await this.newest(organization)).cursor;
  }

  /** Seals what of these events is not sealed yet. @throws SealingFault unless its seals lead on from what was sealed before */
  async seal(organization: string, events: readonly RecordedEvent[], resume: Cursor): Promise<void> {
    while (!(await this.sealNext(organization, events, resume))); // another sealer was faster: look again
  }

  /** Seals all events of an organization, whatever its seals hold so far. @throws SealingFault where it has none */
  async sealAnew(
    organization: string,
    history: AsyncIterable<readonly RecordedEvent[]>,
    resume: Cursor,
  ): Promise<ChainHead> {
    const tail = await this.seals.tail(organization);
    let sealed: Sealed | undefined = beginning(tail);
    for await (const events of history) {
      sealed = await this.append(organization, events, sealed, resume);
      if (!sealed) return (await this.newest(organization)).head; // the running sealer goes on
    }
    const newest = await this.seals.newest(organization);
    if (!newest) throw new SealingFault(`There is no event of ${organization} to seal.`);
    const { signature, signedAt = '', keyId = '' } = newest.seal;
    await this.heads?.replace({ organization, ...headOf(newest.seal), signature, signedAt, keyId });
    return sealed.head;
  }

  private async sealNext(organization: string, events: readonly RecordedEvent[], resume: Cursor): Promise<boolean> {
    const sealed = await this.newest(organization);
    this.sealed.delete(organization); // until the outcome is known
    const fresh = events.filter(({ cursor }) => compareCursors(cursor, sealed.cursor) > 0);
    const next = await this.append(organization, fresh, sealed, resume);
    if (next) this.sealed.set(organization, next);
    return next !== undefined;
  }

  /** Undefined when another sealer was faster. */
  private async append(
    organization: string,
    events: readonly RecordedEvent[],
    after: Sealed,
    resume: Cursor,
  ): Promise<Sealed | undefined> {
    let sealed = after;
    for (let at = 0; at < events.length; at += MAX_PLACES) {
      const seal = this.sealOf(organization, events.slice(at, at + MAX_PLACES), sealed, resume);
      const revision = await this.seals.append(seal, sealed.revision);
      if (revision === undefined) return undefined;
      const { signature, signedAt, keyId } = seal;
      sealed = { ...sealed, head: headOf(seal), cursor: seal.cursor, revision };
      await this.heads?.keep({ organization, ...sealed.head, signature, signedAt, keyId });
    }
    return sealed;
  }

  private async newest(organization: string): Promise<Sealed> {
    const cached = this.sealed.get(organization);
    if (cached && performance.now() < cached.checkedAt + CHECKED_EVERY_MS) return cached;
    const tail = await (this.checks ?? this.seals).tail(organization);
    if (!tail?.seal) return beginning(tail);
    const { cursor, begin = 0 } = tail.seal;
    const { revision } = tail;
    return { head: headOf(tail.seal), cursor, revision, begin: BigInt(begin), checkedAt: performance.now() };
  }

  private sealOf(organization: string, events: readonly RecordedEvent[], sealed: Sealed, resume: Cursor) {
    const { head, begin } = sealed;
    const places: [string, string][] = [];
    let previousHash = head.hash;
    for (const event of events) {
      previousHash = chainHash(event, previousHash);
      places.push([event.id, previousHash]);
    }
    const { cursor } = lastOf(events);
    const chained = { from: head.revision + 1, previousHash: head.hash, places };
    const since = begin === 0n ? {} : { begin: Number(begin) };
    return signSeal(this.key, { organization, ...chained, cursor, resume, ...since }, new Date());
  }
}

const beginning = (tail: StreamTail | undefined): Sealed => ({
  head: BEFORE_FIRST,
  cursor: '',
  revision: tail?.revision,
  begin: tail ? tail.revision + 1n : 0n,
  checkedAt: performance.now(),
});

/** Checks what seals say before a sealer goes on by it: any client may have appended them. */
class SealChecks {
  private keys: PublicKeys;

  constructor(
    private readonly seals: Seals,
    key: KeyObject,
    private readonly heads: SealedHeads,
  ) {
    this.keys = publicKeysOf(createPublicKey(key));
  }

  /**
   * The newest event in an organization's stream of seals.
   * @throws SealingFault unless its seals are whole, signed, and lead on from the head that was kept
   */
  async tail(organization: string): Promise<StreamTail | undefined> {
    const kept = await this.heads.newest(organization); // before the seals, as a head is kept after it was sealed
    const tail = await this.seals.tail(organization);
    if (tail && !tail.seal) throw new SealingFault('The newest event in its stream of seals is no seal.');
    if (tail?.seal) await this.check(organization, tail.seal, kept);
    else if (kept) throw new SealingFault(await this.lossOf(organization, kept));
    else if (this.seals.hasTombstone(organization)) throw new SealingFault('Its stream of seals has a tombstone.');
    return tail;
  }

  /**
   * From where sealing goes on, by the newest seal that is signed whole and stands in this log: the beginning where none
   * does. Seals of the first form do not count, as this was not signed in them.
   */
  async resume(head: Cursor): Promise<Cursor> {
    for await (const seal of this.seals.latest()) {
      const isPast = compareCursors(seal.resume, head) <= 0;
      if (seal.version === undefined || !isPast || !(await this.isSigned(seal.organization, seal))) continue;
      if (await this.seals.isInPlace(seal)) return seal.resume;
    }
    return BEGINNING;
  }

  private async check(organization: string, seal: Seal, kept: SignedHead | null): Promise<void> {
    const head = headOf(seal);
    if (kept && head.revision < kept.revision)
      throw new SealingFault(`Its seals end at place ${head.revision}; places 0 to ${kept.revision} were sealed.`);
    if (kept && (await this.hashAt(organization, head, kept.revision)) !== kept.hash)
      throw new SealingFault(
        `Its seals are others than those that were made: place ${kept.revision} has another hash.`,
      );
    if (!(await this.isSigned(organization, seal)))
      throw new SealingFault('Its newest seal is not signed with a key of this installation.');
    if (!(await this.seals.isWhole(seal))) throw new SealingFault('Its oldest seals are missing.');
    if (seal.version === undefined && !(await this.seals.isInPlace(seal)))
      throw new SealingFault(
        'Its newest seal, whose cursor is not signed, names another place than its last event has.',
      );
  }

  /** All that is signed in a seal; keys that were added since are read when one is missing. */
  private async isSigned(organization: string, seal: Seal): Promise<boolean> {
    const isValid = () => verifySealedHead(organization, sealedHeadOf(seal), this.keys) === 'valid';
    if (seal.organization !== organization) return false;
    if (isValid()) return true;
    this.keys = await this.heads.publicKeys();
    return isValid();
  }

  private async lossOf(organization: string, { revision }: SignedHead): Promise<string> {
    if (await this.seals.hasHistory(organization)) return `Its seals are missing; places 0 to ${revision} were sealed.`;
    return `Its history is missing: EventStoreDB has no event of it, and places 0 to ${revision} were sealed.`;
  }

  private async hashAt(organization: string, head: ChainHead, revision: number): Promise<string | null> {
    if (head.revision === revision) return head.hash;
    const places = await this.seals.places(organization, revision, revision);
    return [...places.values()].find((place) => place.revision === revision)?.hash ?? null;
  }
}
