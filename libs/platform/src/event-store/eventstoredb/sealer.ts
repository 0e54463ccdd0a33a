import type { KeyObject } from 'node:crypto';
import { AccessDeniedError } from '@eventstore/db-client';
import type { Queryable } from '../../database/pool';
import { LogFollower } from '../../log/log-follower';
import { BEGINNING, LogUnavailable, type Cursor, type LogBatch, type LogReader } from '../../log/log-reader';
import { organizationOf, type RecordedEvent } from '../event-store';
import { SealingFault, type FaultListener, type SealingFaults } from '../sealing-faults';
import type { ChainSealer } from './chain-sealer';
import type { Seals } from './seals';

/** That this process seals the hash chains, which Postgres does by itself; any number of processes may. */
export interface Sealing {
  /** The Ed25519 private key that signs the heads. */
  readonly key: KeyObject;
  /** Where the newest heads are kept, so that no history is sealed anew unnoticed; none for a copy that is compared with its source. */
  readonly database?: Queryable;
  /** Called when sealing has ended for good. */
  readonly onFailure: (error: unknown) => void;
  /** Called when the events of one organization are not sealed any more, and when they are again. */
  readonly onFault?: FaultListener;
  /** At the head of the log, events are collected for so long, as each seal is an event too; half a second by default. */
  readonly paceMs?: number;
}

const PACE_MS = 500;
const RETRY_MS = 2_000;
const BATCH = 1_000;

/**
 * Walks the log and seals what it passes: hashes chained per organization, with a signed head, appended as events. Where
 * the events of one organization cannot be sealed, it goes on with the others, and retries that one.
 */
export class Sealer {
  private readonly stopping = new AbortController();
  private follower: LogFollower<RecordedEvent> | undefined;
  private retryAt = 0;

  constructor(
    private readonly log: LogReader<RecordedEvent>,
    private readonly seals: Seals,
    private readonly chains: ChainSealer,
    private readonly faults: SealingFaults,
  ) {}

  /** Goes on where the newest seal was made; what is sealed already is passed over. */
  async start(paceMs = PACE_MS): Promise<void> {
    const latest = await this.seals.latest();
    this.follower = new LogFollower(this.log, {
      from: latest?.resume ?? BEGINNING,
      signal: this.stopping.signal,
      paceMs,
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
    const begin = this.follower?.cursor ?? BEGINNING;
    await this.retry(begin);
    for (const [organization, own] of groupedByOrganization(events)) {
      if (this.faults.has(organization)) continue;
      await this.isolated(organization, () => this.chains.seal(organization, own, begin));
    }
  }

  /** Seals what was left out of the batches before this cursor. */
  private async retry(before: Cursor): Promise<void> {
    if (performance.now() < this.retryAt) return;
    this.retryAt = performance.now() + RETRY_MS;
    await this.faults.load();
    for (const organization of this.faults.organizations)
      await this.isolated(organization, () => this.catchUp(organization, before));
  }

  private async catchUp(organization: string, end: Cursor): Promise<void> {
    const from = await this.chains.cursorOf(organization);
    for await (const events of pagesOf(this.log, organization, from, end)) {
      if (this.stopping.signal.aborted) return;
      await this.chains.seal(organization, events, end);
    }
    await this.faults.remove(organization);
  }

  /** What concerns one organization alone is its own. */
  private async isolated(organization: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isRefused = error instanceof LogUnavailable && error.cause instanceof AccessDeniedError;
      if (!isRefused && !(error instanceof SealingFault)) throw error;
      await this.faults.add(organization, error.message);
    }
  }
}

/** The events of an organization in the order of the log, a page at a time; to its head, or until a cursor is reached. */
export async function* pagesOf(log: LogReader<RecordedEvent>, organization: string, from = BEGINNING, until?: Cursor) {
  const isReached = (cursor: Cursor) => until !== undefined && log.compare(cursor, until) >= 0;
  for (let [cursor, atHead] = [from, false]; !atHead && !isReached(cursor);) {
    const batch = await log.read(0, cursor, { max: BATCH });
    yield groupedByOrganization(batch.events).get(organization) ?? [];
    ({ next: cursor, atHead } = batch);
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
