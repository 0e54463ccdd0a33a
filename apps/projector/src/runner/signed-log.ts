import type { KeyObject } from 'node:crypto';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { ProvenRewrites } from '@ledgerline/platform/intake-log/rewrite-receipts';
import { findDiscontinued, readSignedHeads } from '@ledgerline/platform/intake-log/signed-intake-heads';
import {
  type Cursor,
  type LogBatch,
  type LogReader,
  LogTampered,
  LogUnavailable,
  type ReadOptions,
  type WaitOptions,
} from '@ledgerline/platform/log/log-reader';
import { pause } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';

interface SignedLogParts {
  readonly log: LogReader<LoggedHit>;
  /** Where the signed heads are. */
  readonly store: Pick<EventStore, 'readStream'>;
  /** Where the segments are. */
  readonly database: Queryable;
  /** Ed25519, private: signs those heads. */
  readonly key: KeyObject;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/** Why nothing is read: of any partition, or of one. */
interface Verdict {
  readonly log?: string;
  readonly partitions: ReadonlyMap<number, string>;
}

const EVERY_MS = 4_000;
/** The first read, and one after an outage, waits no longer for an event store that does not respond. */
const WAIT_MS = 3_000;

/**
 * The intake log, of which a partition is read only while it continues its newest signed heads, and all its rewrites have receipts: a copy that was restored
 * has heads of its own that fit it, so only the event store has the newer ones. While that is away, the last finding holds.
 */
export class SignedLog implements LogReader<LoggedHit> {
  private verdict: Verdict = { partitions: new Map() };
  private checking: Promise<void> | undefined;
  private checkedAt = -Infinity;
  /** Nothing was checked since the start, or since the database was away and may have been restored. */
  private isUnchecked = true;
  private readonly rewrites: ProvenRewrites;
  private readonly outage: OutageLog;

  constructor(private readonly parts: SignedLogParts) {
    this.rewrites = new ProvenRewrites(parts.database, parts.store);
    this.outage = new OutageLog(parts.logger, {
      began: 'the intake log cannot be compared with its signed heads; trying again',
      ended: 'the intake log is compared with its signed heads again',
    });
  }

  async read(partition: number, after: Cursor, options: ReadOptions): Promise<LogBatch<LoggedHit>> {
    await this.checkInTime();
    const why = this.verdict.log ?? this.verdict.partitions.get(partition);
    if (why !== undefined) throw new LogTampered(why);
    return this.parts.log.read(partition, after, options).catch((error: unknown) => {
      this.isUnchecked ||= error instanceof LogUnavailable;
      throw error;
    });
  }

  epoch(): Promise<string> {
    return this.parts.log.epoch();
  }

  partitions(): Promise<number> {
    return this.parts.log.partitions();
  }

  head(partition: number): Promise<Cursor> {
    return this.parts.log.head(partition);
  }

  waitForMore(partition: number, after: Cursor, options: WaitOptions): Promise<void> {
    return this.parts.log.waitForMore(partition, after, options);
  }

  compare(a: Cursor, b: Cursor): number {
    return this.parts.log.compare(a, b);
  }

  private async checkInTime(): Promise<void> {
    const isDue = this.isUnchecked || performance.now() >= this.checkedAt + EVERY_MS;
    if (isDue) this.checking ??= this.check();
    if (!this.isUnchecked) return;
    const waiting = new AbortController();
    await Promise.race([this.checking, pause(WAIT_MS, waiting.signal)]);
    waiting.abort();
    this.isUnchecked = false;
  }

  private async check(): Promise<void> {
    try {
      this.verdict = await this.compareWithHeads();
      this.outage.succeeded();
    } catch (error) {
      if (error instanceof LogTampered) this.verdict = { log: error.message, partitions: new Map() };
      else this.outage.failed(error);
    }
    this.checkedAt = performance.now();
    this.checking = undefined;
  }

  private async compareWithHeads(): Promise<Verdict> {
    const { store } = this.parts;
    const forged = await this.rewrites.findForged();
    const newest = await readSignedHeads(store);
    if (newest === undefined) return { partitions: forged };
    const { signed } = newest;
    const broken = await findDiscontinued(this.parts, signed);
    const sentence = (partition: number, offset: number) =>
      `The intake log does not continue its signed heads: partition ${partition} was signed up to offset ${offset} at ${signed.signedAt}; restore the newer copy, or accept this one with \`npm run audit -- heads --restart\`.`;
    const discontinued = broken.map(({ partition, offset }) => [partition, sentence(partition, offset)] as const);
    return { partitions: new Map([...forged, ...discontinued]) };
  }
}
