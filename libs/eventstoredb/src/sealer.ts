import type { KeyObject } from 'node:crypto';
import { AccessDeniedError, StreamDeletedError, UnknownError } from '@eventstore/db-client';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { Backoff, pause } from '@ledgerline/platform/log/timing';
import { LogFollower } from '@ledgerline/platform/log/log-follower';
import {
  BEGINNING,
  LogUnavailable,
  type Cursor,
  type LogBatch,
  type LogReader,
} from '@ledgerline/platform/log/log-reader';
import { organizationOf, type RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import {
  ALL_ORGANIZATIONS,
  type FaultListener,
  SealingFault,
  type SealingFaults,
} from '@ledgerline/platform/event-store/verify-chain';
import type { ChainSealer } from './chain-sealer';

/** That this process seals the hash chains, which Postgres does by itself; any number of processes may. */
export interface Sealing {
  /** The Ed25519 private key that signs the heads. */
  readonly key: KeyObject;
  /** Where the newest heads are kept, so that no history is sealed anew unnoticed; none for a copy that is compared with its source. */
  readonly database?: Queryable;
  /** Called when the events of an organization, or of all, are not sealed any more, and when they are again. */
  readonly onFault?: FaultListener;
  /** Only histories of the product, see OwnOrganizations; by default all, for a store that nothing else writes to. */
  readonly ownOnly?: boolean;
  /** At the head of the log, events are collected for so long, as each seal is an event too; half a second by default. */
  readonly paceMs?: number;
}

const PACE_MS = 500;
const RETRY_MS = 2_000;
/** Of checks of what was sealed before, which take at most a tenth of the time. */
const CHECK_MS = 60_000;
const CHECK_SHARE = 10;
const BATCH = 1_000;

/**
 * Walks the log and seals what it passes: hashes chained per organization, with a signed head, appended as events. Where
 * the events of one organization cannot be sealed, it goes on with the others, and retries that one. Where it cannot go
 * on at all, as in a log that was restored, it begins again until it can.
 */
export class Sealer {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private follower: LogFollower<RecordedEvent> | undefined;
  private retryAt = 0;

  constructor(
    private readonly log: LogReader<RecordedEvent>,
    private readonly chains: ChainSealer,
    private readonly faults: SealingFaults,
    private readonly paceMs = PACE_MS,
  ) {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(signal);
    while (!signal.aborted) {
      try {
        await this.follow(() => backoff.reset());
      } catch (error) {
        await this.reportAll(error);
        await backoff.pause();
      }
    }
  }

  /** Goes on where the newest seal was made; what is sealed already is passed over. */
  private async follow(onRead: () => void): Promise<void> {
    const ending = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, ending.signal]);
    const from = await this.chains.begin(await this.log.head(0));
    this.follower = new LogFollower(this.log, {
      from,
      signal,
      paceMs: this.paceMs,
      onBatch: (batch) => this.seal(batch),
      onRead,
      onError: (error) => void this.reportAll(error),
    });
    const checking = this.checkSealed(signal);
    try {
      await this.follower.ended;
    } finally {
      ending.abort();
      await checking;
    }
  }

  private async seal({ events }: LogBatch<RecordedEvent>): Promise<void> {
    const begin = this.follower?.cursor ?? BEGINNING;
    await this.retry(begin);
    for (const [organization, own] of groupedByOrganization(events)) {
      if (this.faults.has(organization) || !(await this.owns(organization, own, begin))) continue;
      await this.isolated(organization, () => this.chains.seal(organization, own, begin));
    }
    await this.faults.remove(ALL_ORGANIZATIONS);
  }

  /** One that is found late may have events that were passed over. */
  private async owns(organization: string, events: readonly RecordedEvent[], begin: Cursor): Promise<boolean> {
    const found = await this.chains.owns(organization, events);
    if (found === 'late') await this.isolated(organization, () => this.catchUp(organization, begin));
    return found !== 'no';
  }

  /** Now and then, also those without new events: what was sealed of them may be lost, in a log that was restored. */
  private async checkSealed(signal: AbortSignal): Promise<void> {
    const isOver = () => signal.aborted;
    while (!isOver()) {
      const begunAt = performance.now();
      try {
        for await (const organization of this.chains.organizations()) {
          if (isOver()) return;
          if (!this.faults.has(organization)) await this.isolated(organization, () => this.chains.check(organization));
        }
      } catch (error) {
        await this.reportAll(error);
      }
      await pause(Math.max(CHECK_MS, CHECK_SHARE * (performance.now() - begunAt)), signal);
    }
  }

  /** Until the next batch is sealed. That the server is away every process reports. */
  private async reportAll(error: unknown): Promise<void> {
    if (this.stopping.signal.aborted || isOutage(error)) return;
    const reason = error instanceof Error ? error.message : String(error);
    await this.faults.add(ALL_ORGANIZATIONS, reason).catch(() => undefined); // it is announced; the next try writes it
  }

  /** Seals what was left out of the batches before this cursor. */
  private async retry(before: Cursor): Promise<void> {
    const begunAt = performance.now();
    if (begunAt < this.retryAt) return;
    await this.faults.load();
    for (const organization of this.faults.organizations)
      await this.isolated(organization, () => this.catchUp(organization, before));
    const now = performance.now();
    this.retryAt = now + Math.max(RETRY_MS, CHECK_SHARE * (now - begunAt));
  }

  private async catchUp(organization: string, end: Cursor): Promise<void> {
    const from = await this.chains.cursorOf(organization);
    for await (const events of pagesOf(this.log, organization, from, end)) {
      if (this.stopping.signal.aborted) return;
      await this.chains.seal(organization, events, end);
    }
    await this.faults.remove(organization);
  }

  /** What concerns one organization alone is its own. @throws LogUnavailable where it concerns all */
  private async isolated(organization: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isOutage(error) || !(error instanceof Error)) throw error;
      const isPlain = error instanceof LogUnavailable || error instanceof SealingFault;
      await this.faults.add(organization, isPlain ? error.message : `Its events cannot be sealed: ${error.message}`);
    }
  }
}

/** Answers of a server that serves other streams. */
const OF_STREAM = [AccessDeniedError, StreamDeletedError, UnknownError];

const isOutage = (error: unknown): boolean =>
  error instanceof LogUnavailable && !OF_STREAM.some((type) => error.cause instanceof type);

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
