import {
  AccessDeniedError,
  type AllStreamResolvedEvent,
  DeadlineExceededError,
  type EventStoreDBClient,
  type JSONEventData,
  type Position,
  type ResolvedEvent,
  StreamDeletedError,
  type StreamingRead,
  StreamNotFoundError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { LogUnavailable, StreamDead } from '@ledgerline/platform/log/log-reader';
import { type Acknowledged, AppendStream } from './append-stream';
import { createClient, createReplacementClient, parseConnectionString, type ServerAddress } from './connection-string';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/** Errors that only a server can give. */
const ANSWERS = [AccessDeniedError, StreamDeletedError, StreamNotFoundError, WrongExpectedVersionError];

interface Page {
  readonly direction: 'forwards' | 'backwards';
  readonly maxCount: number;
}

/**
 * The driver's client with what it lacks: timeouts of reads, the port's errors, and a new connection in place of one that
 * died without a reset (the driver's own new channel would use the dead one until a ping is overdue).
 * TRICKY: every stream gets its `error` listener at once; an error without a listener ends the process.
 */
export class Connection {
  private readonly pace = new ReplacementPace();
  private appends: AppendStream | undefined;

  private constructor(
    private readonly url: string,
    private current: EventStoreDBClient,
    readonly address: ServerAddress,
    private readonly timeout: ResponseTimeout,
  ) {}

  /** @throws StartFailure when the connection string cannot be used */
  static to(url: string, timeout = new ResponseTimeout()): Connection {
    const address = parseConnectionString(url);
    const client = createClient(url);
    disableBatchAppend(client);
    return new Connection(url, client, address, timeout);
  }

  /** Changes when the connection is replaced, so it is read anew for every call. */
  get client(): EventStoreDBClient {
    return this.current;
  }

  get timeoutMs(): number {
    return this.timeout.currentMs;
  }

  /** How long a caller waits for an append with all that belongs to it. */
  get appendMs(): number {
    return this.timeout.appendMs;
  }

  /** -1 expects no stream. @throws LogUnavailable when the answer is overdue; else as AppendStream */
  append(stream: string, events: readonly JSONEventData[], expected: number): Promise<Acknowledged> {
    this.appends ??= new AppendStream(this.current);
    return this.withTimeout(this.appends.append(stream, events, expected));
  }

  /** Empty for a stream that is not there. */
  async readStream(
    stream: string,
    { from, resolveLinks = false, ...page }: Page & { from?: bigint; resolveLinks?: boolean },
  ): Promise<ResolvedEvent[]> {
    const fromRevision = from ?? (page.direction === 'forwards' ? 'start' : 'end');
    try {
      return await this.collect<ResolvedEvent>(
        this.client.readStream(stream, { ...page, fromRevision, resolveLinkTos: resolveLinks }),
        this.timeout.currentMs,
      );
    } catch (error) {
      if (error instanceof StreamNotFoundError) return [];
      throw unavailable(error);
    }
  }

  async readAll({ from, ...page }: Page & { from?: Position }): Promise<AllStreamResolvedEvent[]> {
    const fromPosition = from ?? (page.direction === 'forwards' ? 'start' : 'end');
    try {
      const read = this.client.readAll({ ...page, fromPosition });
      return await this.collect<AllStreamResolvedEvent>(read, this.timeout.normalMs);
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Undefined where no event begins at the position, as in another log. */
  async eventAt(position: Position | undefined): Promise<AllStreamResolvedEvent['event']> {
    try {
      const from = position ? { from: position } : {};
      const [found] = await this.readAll({ direction: 'forwards', maxCount: 1, ...from });
      return found?.event;
    } catch (error) {
      if (isNoPosition(error)) return undefined;
      throw error;
    }
  }

  /** Rejects with LogUnavailable when an answer is overdue; a late one is ignored. */
  async withTimeout<T>(answer: Promise<T>): Promise<T> {
    const { timeout, current } = this;
    const { currentMs: ms } = timeout;
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        timeout.onTimeout();
        this.replace(current);
        reject(new LogUnavailable(`EventStoreDB did not answer within ${ms} ms.`));
      }, ms).unref();
    });
    answer.then(
      () => timeout.onResponse(),
      (error: unknown) => {
        if (error instanceof DeadlineExceededError) this.replace(current);
        this.noteResponse(error);
      },
    );
    try {
      return await Promise.race([answer, overdue]);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.client.dispose();
  }

  private replace(client: EventStoreDBClient): void {
    if (this.current !== client || !this.pace.mayReplace(performance.now())) return;
    this.current = createReplacementClient(this.url);
    disableBatchAppend(this.current);
    this.appends?.cancel();
    this.appends = undefined;
  }

  private noteResponse(error: unknown): void {
    if (ANSWERS.some((answer) => error instanceof answer)) this.timeout.onResponse();
  }

  /** All events of a bounded read; rejects when it makes no progress. */
  private collect<E>(read: StreamingRead<E>, timeoutMs: number): Promise<E[]> {
    const { current } = this;
    return new Promise((resolve, reject) => {
      const events: E[] = [];
      let gaveUp = false;
      const giveUp = () => {
        gaveUp = true;
        this.timeout.onTimeout();
        this.replace(current);
        reject(new LogUnavailable(`EventStoreDB sent nothing for ${timeoutMs} ms.`));
        read.cancel().catch(() => undefined); // it waits for the connection, which may fail much later
      };
      const watchdog = setTimeout(giveUp, timeoutMs);
      read.on('data', (event: E) => {
        events.push(event);
        watchdog.refresh();
      });
      read.on('error', (error: unknown) => {
        clearTimeout(watchdog);
        this.noteResponse(error);
        reject(error instanceof Error ? error : new Error(String(error)));
      });
      read.on('end', () => {
        clearTimeout(watchdog);
        if (!gaveUp) this.timeout.onResponse(); // a cancelled read ends, too
        resolve(events);
      });
    });
  }
}

/** The driver's own stream of appends ends the process when one of several clients breaks (see AppendStream). */
function disableBatchAppend(client: EventStoreDBClient): void {
  Object.assign(client, { supports: () => Promise.resolve(false) });
}

/** Whether a read failed because its stream has a tombstone. */
export const isTombstone = (error: unknown): boolean => error instanceof StreamDead;

/** Whether a read of `$all` failed because nothing begins at its position, which is of another log. */
export const isNoPosition = (error: unknown): boolean =>
  error instanceof LogUnavailable &&
  error.cause instanceof UnknownError &&
  /position|ReadAllResult: Error/i.test(error.cause.message);

/** An error of the driver as LogUnavailable. */
export function unavailable(cause: unknown): LogUnavailable {
  if (cause instanceof StreamDeletedError)
    return new StreamDead(`The stream ${cause.streamName} has a tombstone in EventStoreDB: it has ended for good.`, {
      cause,
    });
  return new LogUnavailable(sentenceOf(cause), { cause });
}

function sentenceOf(cause: unknown): string {
  if (cause instanceof AccessDeniedError) return 'EventStoreDB refuses the user of EVENTSTORE_URL.';
  if (!(cause instanceof UnknownError)) return 'EventStoreDB cannot be reached just now.';
  return cause.message === ''
    ? 'EventStoreDB answers with an error.'
    : `EventStoreDB answers with an error: ${cause.message}`;
}

/**
 * When a connection to a server that does not respond may be replaced: soon again at first, as a cluster names a frozen
 * leader for seconds more, and then ever more seldom, as gRPC keeps what was replaced for half an hour.
 */
export class ReplacementPace {
  private replacedAt = -Infinity;
  private pauseMs = FIRST_PAUSE_MS;

  /** True counts as a replacement; ms. */
  mayReplace(now: number): boolean {
    const passedMs = now - this.replacedAt;
    if (passedMs < this.pauseMs) return false;
    this.pauseMs = passedMs < MAX_PAUSE_MS ? Math.min(2 * this.pauseMs, MAX_PAUSE_MS) : FIRST_PAUSE_MS;
    this.replacedAt = now;
    return true;
  }
}

/** How long a page of `$all` may make no progress before it counts as lost. */
const NORMAL_MS = 8_000;
/** An answer of streams and appends: a write takes up to two tries and a read, and its client has an answer within 8 s. */
const CALL_MS = 4_000;
/** The same after one was lost. */
const SHORT_MS = 1_000;
/** What a client waits for an append then. */
const SHORT_APPEND_MS = 1_500;

/**
 * The timeout of calls to a server: short after a call timed out, until the server responds again. Reads of `$all`
 * always use the normal one, so that a merely slow server is noticed.
 */
export class ResponseTimeout {
  private isServerSilent = false;

  constructor(readonly normalMs = NORMAL_MS) {}

  get currentMs(): number {
    return Math.min(this.isServerSilent ? SHORT_MS : CALL_MS, this.normalMs);
  }

  get appendMs(): number {
    return this.isServerSilent ? SHORT_APPEND_MS : NORMAL_MS;
  }

  onResponse(): void {
    this.isServerSilent = false;
  }

  onTimeout(): void {
    this.isServerSilent = true;
  }
}
