import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { BEFORE_FIRST, chainHash, lastOf } from '@ledgerline/platform/event-store/appended-events';
import type { ChainHead, RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import type { EventStoreReader } from '@ledgerline/platform/event-store/head-signer';
import type { UnsignedHead } from '@ledgerline/platform/event-store/head-statement';
import type { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import { SealingFault } from '@ledgerline/platform/event-store/verify-chain';
import { BEGINNING, type Cursor, isReplaced, type ReaderPosition } from '@ledgerline/platform/log/log-reader';
import type { OwnOrganizations } from './own-organizations';
import { compareCursors } from './position';
import { headOf, MAX_PLACES, type StreamTail, signSeal } from './seal';
import type { SealChecks } from './seal-checks';
import type { Seals } from './seals';

/** The progress of sealing the events of an organization. */
interface Sealed {
  readonly head: ChainHead;
  readonly cursor: Cursor;
  /** The revision of the newest event in its stream of seals. */
  readonly revision: bigint | undefined;
  /** Revision there of the first seal that counts. */
  readonly begin: bigint;
}

/** The checks that seals are compared with, and the statements that state them. */
export interface SealProof {
  readonly checks: SealChecks;
  readonly statements: StatementChain;
  /** Organizations with a head that earlier versions kept, which stated nothing. */
  readonly sealedBefore: () => AsyncIterable<string>;
  /** Removes such a head. */
  readonly forgetSealed: (organization: string) => Promise<void>;
}

const MAX_ORGANIZATIONS = 10_000;
/** The greatest number of heads in one statement. */
const MAX_HEADS = 1_000;
/** So often the running sealer may be faster than an operator's decision. */
const MAX_TRIES = 3;

/**
 * Chains the events of an organization and seals them; each seal is fenced by the expected revision of its stream. What
 * was sealed is stated in Postgres, round by round.
 */
export class ChainSealer {
  private readonly sealed = new LRUCache<string, Sealed>({ max: MAX_ORGANIZATIONS });
  /** Sealed, and not stated yet; at place -1 an organization of which nothing could be sealed so far. */
  private readonly unstated = new Map<string, ChainHead>();
  /** The cursor up to which everything is stated; undefined where that is not said, or of another log. */
  private statedTo: Cursor | undefined;

  /** Without `proof`, seals are continued as they are found: for a copy, which is verified and compared with its source. */
  constructor(
    private readonly seals: Seals,
    private readonly key: KeyObject,
    private readonly proof?: SealProof,
    private readonly own?: OwnOrganizations,
  ) {}

  /** From where the events of all organizations are sealed on. @throws SealingFault where nothing may be signed */
  async begin(log: EventStoreReader): Promise<ReaderPosition> {
    this.sealed.clear();
    if (!this.proof) return { cursor: BEGINNING };
    const { statements } = this.proof;
    await statements.readOn();
    if (!statements.sealedTo) await this.takeOver(this.proof);
    for (const organization of statements.heads.keys()) this.own?.add(organization);
    const position = positionOf(statements.sealedTo ?? BEGINNING);
    const isHere = position.cursor !== BEGINNING && (await stands(log, position));
    this.statedTo = isHere ? position.cursor : undefined;
    return isHere ? position : { cursor: BEGINNING };
  }

  /**
   * Returns whether the events of an organization are sealed; late = it is only now found that they are. @throws
   * LogUnavailable
   */
  owns(organization: string, events: readonly RecordedEvent[]): ReturnType<OwnOrganizations['owns']> {
    return this.own?.owns(organization, events) ?? Promise.resolve('yes');
  }

  /** @throws SealingFault where nothing may be signed */
  async beginRound(): Promise<void> {
    await this.proof?.statements.readOn();
  }

  /** States what was sealed; `sealedTo` as in a statement. @throws SealingFault where nothing may be signed */
  async endRound(sealedTo: string): Promise<void> {
    const { proof, unstated } = this;
    for (let isStored = false; proof && !isStored;) {
      const heads = [...unstated].filter(([id, head]) => isNewer(head, proof.statements.heads.get(id)));
      if (heads.length === 0) break;
      isStored = await proof.statements.append(
        heads.map(([organization, { revision, hash }]) => ({ organization, revision, hash })),
        { sealedTo: this.furthest(sealedTo, proof.statements.sealedTo) },
      );
      if (isStored) this.statedTo = positionOf(proof.statements.sealedTo ?? BEGINNING).cursor;
      else await proof.statements.readOn(); // another process was faster
    }
    unstated.clear();
  }

  /** Returns the cursor of the last event that is sealed, as its seals are now. @throws SealingFault, as `seal` does */
  async cursorOf(organization: string): Promise<Cursor> {
    this.sealed.delete(organization);
    return (await this.newest(organization)).cursor;
  }

  /** Seals what of these events is not sealed yet. @throws SealingFault unless its seals lead on from what was stated */
  async seal(organization: string, events: readonly RecordedEvent[]): Promise<void> {
    while (!(await this.sealNext(organization, events))); // another sealer was faster: look again
  }

  /**
   * Seals events of an organization as all that it has, whatever its seals hold so far, and states that.
   * @throws SealingFault where there is none
   */
  async sealAnew(organization: string, events: AsyncIterable<RecordedEvent[]>): Promise<ChainHead> {
    const history: RecordedEvent[][] = [];
    for await (const page of events) if (page.length > 0) history.push(page);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      let sealed: Sealed | undefined = beginning(await this.seals.tail(organization));
      for (const page of history) sealed = sealed && (await this.append(organization, page, sealed));
      if (!sealed) continue; // the running sealer was faster
      if (sealed.head.revision < 0) break;
      await this.stateAnew({ organization, ...sealed.head });
      return sealed.head;
    }
    throw new SealingFault(`Nothing of ${organization} could be sealed.`);
  }

  private async stateAnew(head: UnsignedHead): Promise<void> {
    const statements = this.proof?.statements;
    while (statements && !(await statements.append([{ ...head, resealed: true }]))) await statements.readOn();
  }

  /** In a log that was restored, what was stated of the other one does not count. */
  private furthest(own: string, stated: string | undefined): string {
    if (stated === undefined || this.statedTo === undefined) return own;
    return compareCursors(positionOf(own).cursor, positionOf(stated).cursor) < 0 ? stated : own;
  }

  /** States the heads that sealers of earlier versions have kept, but for foreign streams, and how far these had come. */
  private async takeOver(proof: SealProof): Promise<void> {
    const { checks, statements } = proof;
    const heads: UnsignedHead[] = [];
    let cursor: Cursor = BEGINNING;
    for (const organization of await this.sealedOrganizations(proof)) {
      const known = await checks.known(organization);
      if (!known) continue;
      const { revision, hash } = known;
      if (!statements.heads.has(organization)) heads.push({ organization, revision, hash });
      const seal = (await checks.tail(organization).catch(unlessFault))?.seal;
      if (seal && compareCursors(seal.cursor, cursor) > 0) ({ cursor } = seal);
    }
    if (cursor === BEGINNING && heads.length === 0) return;
    for (let at = 0; at === 0 || at < heads.length; at += MAX_HEADS) {
      const isLast = at + MAX_HEADS >= heads.length;
      const isStored = await statements.append(heads.slice(at, at + MAX_HEADS), isLast ? { sealedTo: cursor } : {});
      if (!isStored) throw new SealingFault('Another process takes over the heads that were sealed.');
    }
  }

  /** Returns the organizations with a stated head, or with one of earlier versions; those of foreign streams are removed. */
  private async sealedOrganizations({ statements, sealedBefore, forgetSealed }: SealProof): Promise<Set<string>> {
    const sealed = new Set(statements.heads.keys());
    for await (const organization of sealedBefore())
      if (await this.own?.isForeign(organization)) await forgetSealed(organization);
      else sealed.add(organization);
    return sealed;
  }

  private async sealNext(organization: string, events: readonly RecordedEvent[]): Promise<boolean> {
    const sealed = await this.newest(organization).catch(async (error: unknown) => {
      if (events[0] && !(error instanceof SealingFault)) await this.assertNew(organization, events[0]);
      throw error;
    });
    this.sealed.delete(organization); // until the outcome is known
    const fresh = events.filter(({ cursor }) => compareCursors(cursor, sealed.cursor) > 0);
    const [first] = fresh;
    if (first && sealed.head.revision < 0) await this.assertNew(organization, first);
    const next = await this.append(organization, fresh, sealed);
    if (!next) return false;
    this.sealed.set(organization, next);
    if (next.head.revision >= 0) this.unstated.set(organization, next.head);
    return true;
  }

  /** From now on one that has no head is known to wait, should it not be sealed in this round. */
  private async assertNew(organization: string, first: RecordedEvent): Promise<void> {
    if (!this.proof || (await this.proof.checks.known(organization))) return;
    const isOld = this.statedTo !== undefined && compareCursors(first.cursor, this.statedTo) <= 0;
    await this.proof.checks.assertNew(organization, first, isOld);
    this.unstated.set(organization, BEFORE_FIRST);
  }

  /** Undefined when another sealer was faster. */
  private async append(
    organization: string,
    events: readonly RecordedEvent[],
    after: Sealed,
  ): Promise<Sealed | undefined> {
    let sealed = after;
    for (let at = 0; at < events.length; at += MAX_PLACES) {
      const seal = this.sealOf(organization, events.slice(at, at + MAX_PLACES), sealed);
      const revision = await this.seals.append(seal, sealed.revision);
      if (revision === undefined) return undefined;
      sealed = { ...sealed, head: headOf(seal), cursor: seal.cursor, revision };
    }
    return sealed;
  }

  private async newest(organization: string): Promise<Sealed> {
    const cached = this.sealed.get(organization);
    if (cached) return cached;
    const tail = await (this.proof?.checks ?? this.seals).tail(organization);
    if (!tail?.seal) return beginning(tail);
    const { cursor, begin = 0 } = tail.seal;
    const { revision } = tail;
    return { head: headOf(tail.seal), cursor, revision, begin: BigInt(begin) };
  }

  private sealOf(organization: string, events: readonly RecordedEvent[], sealed: Sealed) {
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
    return signSeal(this.key, { organization, ...chained, cursor, ...since }, new Date());
  }
}

/** Returns the position of `sealedTo` in a statement. */
function positionOf(sealedTo: string): ReaderPosition {
  const [cursor = BEGINNING] = sealedTo.split(' ', 1);
  return cursor === sealedTo ? { cursor } : { cursor, digest: sealedTo };
}

async function stands(log: EventStoreReader, { cursor, digest }: ReaderPosition): Promise<boolean> {
  try {
    await log.read(0, cursor, { max: 1, digest });
    return true;
  } catch (error) {
    if (isReplaced(error)) return false;
    throw error;
  }
}

/** Found by the sealer when it comes to that organization. */
function unlessFault(error: unknown): undefined {
  if (!(error instanceof SealingFault)) throw error;
}

const isNewer = (head: ChainHead, stated: ChainHead | undefined): boolean => !stated || head.revision > stated.revision;

const beginning = (tail: StreamTail | undefined): Sealed => ({
  head: BEFORE_FIRST,
  cursor: '',
  revision: tail?.revision,
  begin: tail ? tail.revision + 1n : 0n,
});
