import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { BEGINNING, type Cursor } from '../../log/log-reader';
import { lastOf } from '../append-decision';
import { BEFORE_FIRST, chainHash } from '../chain-hash';
import type { ChainHead, RecordedEvent } from '../event-store';
import type { SealedHeads } from '../sealed-heads';
import { SealingFault } from '../sealing-faults';
import { compareCursors } from './position';
import { SealChecks } from './check-seals';
import { headOf, MAX_PLACES, signSeal, type StreamTail } from './seal';
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
  ) {
    this.checks = heads && new SealChecks(seals, key, heads);
  }

  /** From where the events of all organizations are sealed on, in a log with this head; what is sealed is looked up again. */
  async begin(head: Cursor): Promise<Cursor> {
    this.sealed.clear();
    return (await this.checks?.resume(head)) ?? BEGINNING;
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
