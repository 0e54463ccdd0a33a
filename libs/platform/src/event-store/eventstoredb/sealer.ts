import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { BEGINNING, type LogBatch, type LogReader } from '../../log/log-reader';
import { BEFORE_FIRST, chainHash } from '../chain-hash';
import { organizationOf, type ChainHead, type RecordedEvent } from '../event-store';
import { LogFollower } from '../../log/log-follower';
import { lastOf } from '../append-decision';
import { signHead } from '../signed-head';
import { compareCursors } from './position';
import { headOf, MAX_PLACES, type Seal, type Seals } from './seals';

/** That this process seals the hash chains, which Postgres does by itself; any number of processes may. */
export interface Sealing {
  /** The Ed25519 private key that signs the heads. */
  readonly key: KeyObject;
  /** Called when sealing has ended for good. */
  readonly onFailure: (error: unknown) => void;
}

interface Sealed {
  readonly head: ChainHead;
  readonly cursor: string;
  /** Of the newest seal in its stream. */
  readonly revision: bigint | undefined;
}

/** A seal is an event like others, so those of a busy organization have many places each. */
const PACE_MS = 500;
const MAX_ORGANIZATIONS = 10_000;

const NOTHING: Sealed = { head: BEFORE_FIRST, cursor: '', revision: undefined };

/**
 * Walks the log and seals what it passes: hashes chained per organization, with a signed head, appended as events.
 * Any number may run; each seal is fenced by the expected revision of the organization's stream of seals.
 */
export class Sealer {
  private readonly stopping = new AbortController();
  /** What this process sealed last, until another one is found to have gone on. */
  private readonly sealed = new LRUCache<string, Sealed>({ max: MAX_ORGANIZATIONS });
  private follower: LogFollower<RecordedEvent> | undefined;

  constructor(
    private readonly log: LogReader<RecordedEvent>,
    private readonly seals: Seals,
    private readonly key: KeyObject,
  ) {}

  /** Goes on where the newest seal was made; what is sealed already is passed over. */
  async start(): Promise<void> {
    const latest = await this.seals.latest();
    this.follower = new LogFollower(this.log, {
      from: latest?.resume ?? BEGINNING,
      signal: this.stopping.signal,
      paceMs: PACE_MS,
      onBatch: (batch) => this.seal(batch),
    });
  }

  /** Resolves when it was stopped; rejects with what ended it before. */
  async ended(): Promise<void> {
    await this.follower?.ended;
  }

  stop(): void {
    this.stopping.abort();
  }

  private async seal({ events }: LogBatch<RecordedEvent>): Promise<void> {
    const resume = this.follower?.cursor ?? BEGINNING;
    for (const [organization, own] of groupedByOrganization(events)) {
      while (!(await this.sealNext(organization, own, resume)));
    }
  }

  /** Seals what of these events is not sealed yet; false when another sealer was faster and it has to look again. */
  private async sealNext(organization: string, events: readonly RecordedEvent[], resume: string): Promise<boolean> {
    let sealed = this.sealed.get(organization) ?? (await this.newest(organization));
    this.sealed.delete(organization); // until the outcome is known
    const fresh = events.filter(({ cursor }) => compareCursors(cursor, sealed.cursor) > 0);
    for (let at = 0; at < fresh.length; at += MAX_PLACES) {
      const seal = this.sealOf(organization, fresh.slice(at, at + MAX_PLACES), sealed, resume);
      if (!(await this.seals.append(seal, sealed.revision))) return false;
      sealed = { head: headOf(seal), cursor: seal.cursor, revision: (sealed.revision ?? -1n) + 1n };
    }
    this.sealed.set(organization, sealed);
    return true;
  }

  private async newest(organization: string): Promise<Sealed> {
    const newest = await this.seals.newest(organization);
    if (!newest) return NOTHING;
    return { head: headOf(newest.seal), cursor: newest.seal.cursor, revision: newest.revision };
  }

  private sealOf(organization: string, events: readonly RecordedEvent[], { head }: Sealed, resume: string): Seal {
    const places: [string, string][] = [];
    let previousHash = head.hash;
    for (const event of events) {
      previousHash = chainHash(event, previousHash);
      places.push([event.id, previousHash]);
    }
    const { cursor } = lastOf(events);
    const chained = { from: head.revision + 1, previousHash: head.hash, places };
    const { signature, signedAt, keyId } = signHead(this.key, organization, headOf(chained), new Date());
    return { organization, ...chained, cursor, resume, signature, signedAt, keyId };
  }
}

function groupedByOrganization(events: readonly RecordedEvent[]): Map<string, RecordedEvent[]> {
  const groups = new Map<string, RecordedEvent[]>();
  for (const event of events) {
    const organization = organizationOf(event.stream);
    const group = groups.get(organization);
    if (group) group.push(event);
    else groups.set(organization, [event]);
  }
  return groups;
}
