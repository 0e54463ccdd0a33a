import type { KeyObject } from 'node:crypto';
import { AccessDeniedError, StreamDeletedError, UnknownError } from '@eventstore/db-client';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { streamOrganization, type RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import type { SealingProgress } from '@ledgerline/platform/event-store/sealing-progress';
import {
  ALL_ORGANIZATIONS,
  type FaultListener,
  SealingFault,
  type SealingFaults,
  UNACKNOWLEDGED,
} from '@ledgerline/platform/event-store/verify-chain';
import { LogFollower } from '@ledgerline/platform/log/log-follower';
import {
  BEGINNING,
  LogUnavailable,
  type Cursor,
  type LogBatch,
  type LogReader,
} from '@ledgerline/platform/log/log-reader';
import { Backoff } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { ChainSealer, SealProof } from './chain-sealer';
import { sweepSeals } from './seal-sweep';

/**
 * The means by which this process seals the hash chains, which Postgres does by itself; any number of processes may.
 */
export interface Sealing {
  /** The Ed25519 private key that signs seals and statements. */
  readonly key: KeyObject;
  /** Where heads are stated, and faults kept; none for a copy that is compared with its source. */
  readonly database?: Queryable;
  /** Remembers the newest statement outside the database. */
  readonly statementFile?: string | undefined;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
  /** Called when the events of an organization, or of all, are not sealed any more, and when they are again. */
  readonly onFault?: FaultListener;
  /** Organizations that have been created, as is known elsewhere; one of which there is no event is named. */
  readonly created?: () => Promise<readonly string[]>;
  /** Only histories of the product, see OwnOrganizations; by default all, for a store that nothing else writes to. */
  readonly ownOnly?: boolean;
  /** At the head of the log, events are collected for so long, as each seal is an event too; half a second by default. */
  readonly paceMs?: number;
  /** Seals nothing: finds what is wrong, and says so here. */
  readonly watch?: SealingFaults;
}

const PACE_MS = 500;
const RETRY_MS = 2_000;
/** Retries take at most a tenth of the time. */
const RETRY_SHARE = 10;
const BATCH = 1_000;

interface SealerParts {
  readonly log: LogReader<RecordedEvent>;
  readonly chains: ChainSealer;
  readonly faults: SealingFaults;
  /** The checks that seals are compared with; none for a copy. */
  readonly proof?: Pick<SealProof, 'checks' | 'statements'> | undefined;
  readonly progress?: Pick<SealingProgress, 'note'> | undefined;
  readonly created?: Sealing['created'] | undefined;
  readonly paceMs?: number | undefined;
}

/**
 * Walks the log and seals what it passes: hashes chained per organization, with a signed head, appended as events. Where
 * the events of one organization cannot be sealed, it goes on with the others, and retries that one. Where it cannot go
 * on at all, as in a log that was restored, it begins again until it can.
 */
export class Sealer {
  private readonly stopping = new AbortController();
  private running: Promise<unknown> | undefined;
  private follower: LogFollower<RecordedEvent> | undefined;
  private retryAt = 0;

  constructor(private readonly parts: SealerParts) {}

  start(): void {
    this.running ??= Promise.all([this.run(), this.sweep((look) => this.unlessFaulty(look))]);
  }

  /** Only finds what is wrong, until it is right again. */
  watch(): void {
    this.running ??= this.sweep((organization) => this.lookAgain(organization));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Something that belongs to an organization was deleted or hidden. */
  suspect(organization: string): void {
    const { proof } = this.parts;
    if (!proof || this.stopping.signal.aborted) return;
    proof.checks.suspect(organization);
    void this.unlessFaulty(organization).catch((error: unknown) => this.reportAll(error));
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

  /** Goes on where everything is stated; what is sealed already is passed over. */
  private async follow(onRead: () => void): Promise<void> {
    const { log, chains, paceMs = PACE_MS } = this.parts;
    const begin = await chains.begin(log);
    this.follower = new LogFollower(log, {
      from: () => Promise.resolve(begin),
      signal: this.stopping.signal,
      paceMs,
      onBatch: (batch) => this.seal(batch),
      onRead,
      onError: (error) => void this.reportAll(error),
    });
    await this.follower.ended;
  }

  private async seal({ events, next, digest }: LogBatch<RecordedEvent>): Promise<void> {
    const { chains, faults, progress } = this.parts;
    await chains.beginRound();
    await this.retry(this.follower?.cursor ?? BEGINNING);
    for (const [organization, own] of groupedByOrganization(events)) {
      if (faults.has(organization) || !(await this.owns(organization, own))) continue;
      await this.isolated(organization, () => chains.seal(organization, own));
    }
    await chains.endRound(digest ?? next);
    await progress?.note(next);
    await faults.remove(ALL_ORGANIZATIONS);
  }

  /** One that is found late may have events that were passed over. */
  private async owns(organization: string, events: readonly RecordedEvent[]): Promise<boolean> {
    const found = await this.parts.chains.owns(organization, events);
    const before = this.follower?.cursor ?? BEGINNING;
    if (found === 'late') await this.isolated(organization, () => this.catchUp(organization, before));
    return found !== 'no';
  }

  /**
   * Looks at all organizations, also those without new events: what was sealed of them may be lost, in a log that was
   * restored.
   */
  private async sweep(look: (organization: string) => Promise<void>): Promise<void> {
    const { proof } = this.parts;
    if (!proof) return;
    const { checks, statements } = proof;
    await sweepSeals(
      {
        organizations: () => new Set([...statements.heads.keys(), ...checks.created]),
        prepare: async () => {
          checks.created = new Set(await this.parts.created?.());
          if (this.follower) return; // it reads the statements
          await statements.readOn();
          await this.parts.faults.remove(ALL_ORGANIZATIONS);
        },
        look,
        forget: () => checks.forget(),
        onError: (error) => this.reportAll(error),
      },
      this.stopping.signal,
    );
  }

  private async unlessFaulty(organization: string): Promise<void> {
    const { faults, proof } = this.parts;
    if (!faults.has(organization)) await this.isolated(organization, async () => proof?.checks.look(organization));
  }

  /** Looks again at what was found wrong, which counts until its whole history is found right. */
  private async lookAgain(organization: string): Promise<void> {
    const { faults, proof } = this.parts;
    await this.isolated(organization, async () => {
      await proof?.checks.look(organization);
      if (!faults.has(organization)) return;
      await proof?.checks.assertHistory(organization);
      await faults.remove(organization);
    });
  }

  /** Until the next batch is sealed. That the server is away every process reports. */
  private async reportAll(error: unknown): Promise<void> {
    if (this.stopping.signal.aborted || isOutage(error)) return;
    const reason = error instanceof Error ? error.message : String(error);
    await this.parts.faults.add(ALL_ORGANIZATIONS, reason).catch(() => undefined); // it is announced; the next try writes it
  }

  /** Seals what was left out of the batches before this cursor. */
  private async retry(before: Cursor): Promise<void> {
    const { faults, proof } = this.parts;
    const begunAt = performance.now();
    if (begunAt < this.retryAt) return;
    const doubt = proof?.statements.doubt;
    await (doubt === undefined ? faults.remove(UNACKNOWLEDGED) : faults.add(UNACKNOWLEDGED, doubt));
    await faults.load();
    for (const organization of faults.organizations)
      await this.isolated(organization, () => this.catchUp(organization, before));
    const now = performance.now();
    this.retryAt = now + Math.max(RETRY_MS, RETRY_SHARE * (now - begunAt));
  }

  private async catchUp(organization: string, end: Cursor): Promise<void> {
    const { log, chains, faults, proof } = this.parts;
    const from = await chains.cursorOf(organization);
    await proof?.checks.assertHistory(organization);
    for await (const events of pagesOf(log, organization, from, end)) {
      if (this.stopping.signal.aborted) return;
      await chains.seal(organization, events);
    }
    await faults.remove(organization);
  }

  /** Does work for one organization, whose faults are its own. @throws LogUnavailable where it concerns all */
  private async isolated(organization: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isOutage(error) || !(error instanceof Error)) throw error;
      const isPlain = error instanceof LogUnavailable || error instanceof SealingFault;
      await this.parts.faults.add(
        organization,
        isPlain ? error.message : `Its events cannot be sealed: ${error.message}`,
      );
    }
  }
}

/** Answers of a server that serves other streams. */
const OF_STREAM = [AccessDeniedError, StreamDeletedError, UnknownError];

const isOutage = (error: unknown): boolean =>
  error instanceof LogUnavailable && !OF_STREAM.some((type) => error.cause instanceof type);

/** The events of an organization in the order of the log, a page at a time; to its head, or until a cursor is reached. */
async function* pagesOf(log: LogReader<RecordedEvent>, organization: string, from = BEGINNING, until?: Cursor) {
  const isReached = (cursor: Cursor) => until !== undefined && log.compare(cursor, until) >= 0;
  for (let cursor = from, atHead = false; !atHead && !isReached(cursor);) {
    const batch = await log.read(0, cursor, { max: BATCH });
    yield groupedByOrganization(batch.events).get(organization) ?? [];
    ({ next: cursor, atHead } = batch);
  }
}

function groupedByOrganization(events: readonly RecordedEvent[]): Map<string, RecordedEvent[]> {
  const groups = new Map<string, RecordedEvent[]>();
  for (const event of events) {
    const organization = streamOrganization(event.stream);
    const group = groups.get(organization);
    if (group) group.push(event);
    else groups.set(organization, [event]);
  }
  return groups;
}
