import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Settings } from '../config/settings';
import { StoreUnreachable, reasonOf } from '../config/start-failure';
import { checkPostgresServer, NEEDED_CONNECTIONS } from '../database/check-server';
import { isRefusedForGood, isUnavailable } from '../database/database-errors';
import { openPools } from '../database/pool';
import { LogUnavailable } from '../log/log-reader';
import { Backoff } from '../log/timing';
import type { Logger } from '../logging/logger';
import type { App } from './store-checks';

interface Starting {
  /** Fails while the database is away. */
  readonly check: () => Promise<unknown>;
  readonly listenAddress: string;
  /** Where 503 is answered meanwhile. */
  readonly ports: readonly number[];
  /** Told when the database is away, and when it is there again. */
  readonly report: (sentence: string, error?: unknown) => void;
  /** Called once the process waits. */
  readonly onWaiting?: () => void;
  readonly signal?: AbortSignal;
}

/**
 * Starts something as soon as the database is there, and answers 503 until then.
 * @throws what waiting does not mend, such as a wrong password
 */
export async function startWhenUp(starting: Starting, start: () => Promise<void>): Promise<void> {
  const { check, report, onWaiting, signal } = starting;
  const backoff = new Backoff(signal);
  const waiting = new UnavailableServers(starting);
  try {
    while (!signal?.aborted) {
      try {
        await check();
        if (waiting.isOpen) report('The database is there.');
        await waiting.close();
        await start();
        return;
      } catch (error) {
        if (!isAway(error)) throw error;
        await Promise.allSettled(openPools().map(([, pool]) => pool.end())); // of a start that came half way
        const sentence = `The database is away (${reasonOf(error) ?? 'no answer'}); the start goes on when it is there.`;
        if (!waiting.isOpen) report(sentence, error);
        await waiting.open(sentence);
        onWaiting?.();
      }
      await backoff.pause();
    }
  } finally {
    await waiting.close();
  }
}

/** Starts the process of an app when its stores are up. */
export const startAppWhenUp = (
  app: App,
  { databaseUrl, listenAddress }: Pick<Settings, 'databaseUrl' | 'listenAddress'>,
  { port, logger, onWaiting }: { port: number; logger: Pick<Logger, 'warn'>; onWaiting?: () => void },
  start: () => Promise<void>,
): Promise<void> =>
  startWhenUp(
    {
      check: () => checkPostgresServer(databaseUrl, NEEDED_CONNECTIONS[app]),
      listenAddress,
      ports: [port],
      report: (sentence, err) => logger.warn(err === undefined ? {} : { err }, sentence),
      ...(onWaiting ? { onWaiting } : {}),
    },
    start,
  );

/** Returns whether a start failed because a store is not reached, which passes. */
const isAway = (error: unknown): boolean =>
  error instanceof StoreUnreachable ||
  error instanceof LogUnavailable ||
  (isUnavailable(error) && !isRefusedForGood(error));

/** Answer 503 to all requests but those for the liveness of the process, and say why. */
class UnavailableServers {
  private readonly servers: ReturnType<typeof createServer>[] = [];
  private reason = '';

  constructor(private readonly starting: Pick<Starting, 'ports' | 'listenAddress' | 'report'>) {}

  get isOpen(): boolean {
    return this.servers.length > 0;
  }

  async open(reason: string): Promise<void> {
    this.reason = reason;
    if (!this.isOpen) await Promise.all(this.starting.ports.map((port) => this.listen(port)));
  }

  async close(): Promise<void> {
    const closing = this.servers.splice(0).map((server) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    });
    await Promise.all(closing);
  }

  /** A port that is taken is left to the start itself to report. */
  private listen(port: number): Promise<void> {
    const server = createServer((request, response) => this.answer(request, response));
    this.servers.push(server);
    return new Promise((resolve) => {
      server.once('error', (error) => {
        this.starting.report(`Nothing is answered on port ${port} meanwhile.`, error);
        resolve();
      });
      server.listen(port, this.starting.listenAddress, resolve);
    });
  }

  private answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const requestId = randomUUID();
    const [path = ''] = url.split('?');
    response.setHeader('content-type', 'application/json; charset=utf-8').setHeader('x-request-id', requestId);
    if (path === '/health') {
      response.end(JSON.stringify({ status: 'ok' }));
      return;
    }
    response.statusCode = 503;
    response.setHeader('retry-after', '5');
    response.end(JSON.stringify(path === '/health/ready' ? this.readiness() : this.refusal(requestId)));
  }

  private readiness(): object {
    const { reason } = this;
    return { status: 'unavailable', reason, eventStore: 'down', database: 'down', readStores: [], projections: [] };
  }

  private refusal(requestId: string): object {
    return { success: false, error: this.reason, code: 'SERVICE_UNAVAILABLE', requestId };
  }
}
