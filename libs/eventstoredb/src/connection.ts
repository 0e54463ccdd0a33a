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
import type { Deadline } from '@ledgerline/platform/log/timing';
import { type Acknowledged, AppendStream } from './append-stream';
import {
  createEventStoreDbClient,
  createReplacementClient,
  parseConnectionString,
  type ServerAddress,
} from './connection-string';
import { ReplacementPace, ResponseTimeout } from './response-timeout';

/** Errors that only a server can give. */
const ANSWERS = [AccessDeniedError, StreamDeletedError, StreamNotFoundError, WrongExpectedVersionError];

interface Page {
  readonly direction: 'forwards' | 'backwards';
  readonly maxCount: number;
}

interface StreamOptions {
  readonly from?: bigint;
  readonly resolveLinks?: boolean;
  readonly deadline?: Deadline | undefined;
}

/** Pages of `$all` up to this size are looks at one place, which answer as soon as streams do. */
const SMALL_PAGE = 64;

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
    const client = createEventStoreDbClient(url);
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

  /** Returns whether a command has time for another call after so many ms. */
  hasTime(deadline: Deadline, afterMs = 0): boolean {
    return this.timeout.hasTime(deadline, afterMs);
  }

  /** -1 expects no stream. @throws LogUnavailable when the answer is overdue; else as AppendStream */
  async append(
    stream: string,
    events: readonly JSONEventData[],
    expected: number,
    deadline?: Deadline,
  ): Promise<Acknowledged> {
    const timeoutMs = this.timeout.within(deadline);
    this.appends ??= new AppendStream(this.current);
    return this.withTimeout(this.appends.append(stream, events, expected), timeoutMs);
  }

  /** Empty for a stream that is not there. */
  async readStream(
    stream: string,
    { from, resolveLinks = false, deadline, ...page }: Page & StreamOptions,
  ): Promise<ResolvedEvent[]> {
    const fromRevision = from ?? (page.direction === 'forwards' ? 'start' : 'end');
    const timeoutMs = this.timeout.within(deadline);
    try {
      return await this.collect<ResolvedEvent>(
        this.client.readStream(stream, { ...page, fromRevision, resolveLinkTos: resolveLinks }),
        timeoutMs,
      );
    } catch (error) {
      if (error instanceof StreamNotFoundError) return [];
      throw toLogUnavailable(error);
    }
  }

  async readAll({ from, ...page }: Page & { from?: Position }): Promise<AllStreamResolvedEvent[]> {
    const fromPosition = from ?? (page.direction === 'forwards' ? 'start' : 'end');
    try {
      const read = this.client.readAll({ ...page, fromPosition });
      const { normalMs, currentMs } = this.timeout;
      return await this.collect<AllStreamResolvedEvent>(read, page.maxCount > SMALL_PAGE ? normalMs : currentMs);
    } catch (error) {
      throw toLogUnavailable(error);
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
  async withTimeout<T>(answer: Promise<T>, ms = this.timeout.currentMs): Promise<T> {
    const { timeout, current } = this;
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

/** Returns whether a read failed because its stream has a tombstone. */
export const isTombstone = (error: unknown): boolean => error instanceof StreamDead;

/** Returns whether a read of `$all` failed because nothing begins at its position, which is of another log. */
export const isNoPosition = (error: unknown): boolean =>
  error instanceof LogUnavailable &&
  error.cause instanceof UnknownError &&
  /position|ReadAllResult: Error/i.test(error.cause.message);

/** An error of the driver as LogUnavailable. */
export function toLogUnavailable(cause: unknown): LogUnavailable {
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
