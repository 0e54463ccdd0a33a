import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { actorOf, type Caller } from '@ledgerline/domain/access/caller';
import { neededFor } from '@ledgerline/domain/access/permissions';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { withinTimeout } from '@ledgerline/platform/log/within-timeout';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Authenticator } from '../auth/authenticator';
import { forbidden, unavailable } from '../http/problems';
import { QueryTargets, type QueryTarget } from '../query/request/query-targets';
import { LOGGER } from '../tokens';
import { EventStream } from './event-stream';
import { LiveAnswers } from './live-answers';
import { WebsiteWatch } from './website-watch';

/** Of one process. Each stream is a connection, and up to a quarter of a MiB while its reader is slow. */
export const MAX_STREAMS = { ofProcess: 500, ofOrganization: 100, ofCaller: 10 } as const;
const RETRY_SECONDS = 10;

/** How often it is checked whether their callers may still read. */
const CHECK_MS = 10_000;
/** Browsers connect again: after a deployment connections spread over all processes within this time. */
const LIFE_MS = 15 * 60_000;

/** Whose a stream is. */
interface Holder {
  /** A key, or a person with all of their browsers. */
  readonly caller: string;
  readonly organization: string;
}

/** A request for a stream. */
interface StreamRequest {
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

interface OpenStream extends Holder, Pick<StreamRequest, 'headers'> {
  readonly target: QueryTarget;
  readonly stream: EventStream;
}

/** The live streams of this process: how many there may be, who may have them, and when they end. */
@Injectable()
export class LiveStreams implements BeforeApplicationShutdown {
  private readonly open = new Set<OpenStream>();
  /** By website. */
  private readonly watches = new Map<string, WebsiteWatch>();
  private readonly checks = setInterval(() => void this.check(), CHECK_MS).unref();
  private isStopping = false;

  constructor(
    private readonly answers: LiveAnswers,
    private readonly targets: QueryTargets,
    private readonly registry: Registry,
    private readonly authenticator: Authenticator,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    const streams = new Gauge({
      name: 'ledgerline_live_streams',
      help: 'Open streams of live figures',
      registers: [metrics.registry],
    });
    metrics.beforeReading(() => streams.set(this.size));
  }

  get size(): number {
    return this.open.size;
  }

  /** A website that the caller may read all of. @throws Problem FORBIDDEN */
  async targetFor(caller: Caller, websiteId: string): Promise<QueryTarget> {
    const target = await this.targets.find(caller, { website_id: websiteId });
    if (target.publicOnly) throw forbidden({ needs: neededFor('websites:read', caller), of: 'website' });
    return target;
  }

  /**
   * A stream with what there is now, and from then on with what changes.
   * @throws Problem FORBIDDEN, RATE_LIMITED or SERVICE_UNAVAILABLE beyond the limits, ReadStoreUnavailable
   */
  async start({ caller, headers, signal }: StreamRequest, websiteId: string): Promise<EventStream> {
    const target = await this.targetFor(caller, websiteId);
    const organization = this.registry.website(websiteId)?.organizationId ?? '';
    const holder = { caller: actorOf(caller).id, organization };
    if (this.isStopping) throw unavailable(RETRY_SECONDS);
    refuseBeyondLimits([...this.open], holder);
    const stream = new EventStream();
    const opened = { ...holder, headers, target, stream };
    this.open.add(opened);
    signal.addEventListener('abort', () => stream.destroy(), { once: true });
    const life = setTimeout(() => stream.end(), LIFE_MS).unref();
    stream.once('close', () => {
      clearTimeout(life);
      this.open.delete(opened);
    });
    try {
      await this.watchOf(target).join(stream);
      return stream;
    } catch (error) {
      stream.destroy();
      throw error;
    }
  }

  /** Ends the streams whose callers may not read any more, or of which that cannot be told. */
  async check(): Promise<void> {
    const checking = Array.from(this.open, async ({ headers, target, stream }) => {
      const mayRead = await withinTimeout(CHECK_MS, () => this.mayStillRead(headers, target));
      if (mayRead !== true) stream.end();
    });
    await Promise.all(checking);
  }

  beforeApplicationShutdown(): void {
    this.isStopping = true;
    clearInterval(this.checks);
    for (const { stream } of this.open) stream.end();
  }

  private async mayStillRead(headers: IncomingHttpHeaders, { id }: QueryTarget): Promise<boolean> {
    const caller = await this.authenticator.callerOf(headers);
    if (!caller) return false;
    try {
      await this.targetFor(caller, id);
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  private watchOf(target: QueryTarget): WebsiteWatch {
    const known = this.watches.get(target.id);
    if (known && !known.isOver) return known;
    const watch = new WebsiteWatch(target, this.answers);
    this.watches.set(target.id, watch);
    const forget = () => {
      if (this.watches.get(target.id) === watch) this.watches.delete(target.id);
    };
    watch.ended.then(forget, (err: unknown) => {
      forget();
      this.logger.warn({ err, websiteId: target.id }, 'live figures could not be read; their streams are ended');
    });
    return watch;
  }
}

/** @throws Problem RATE_LIMITED for the caller or organization that has too many, SERVICE_UNAVAILABLE where the process has */
export function refuseBeyondLimits(open: readonly Holder[], { caller, organization }: Holder): void {
  const { ofProcess, ofOrganization, ofCaller } = MAX_STREAMS;
  const has = (isOwn: (holder: Holder) => boolean, most: number) => open.filter(isOwn).length >= most;
  if (has((holder) => holder.caller === caller, ofCaller)) throw tooMany('of this key or person', ofCaller);
  if (has((holder) => holder.organization === organization, ofOrganization))
    throw tooMany('of this organization', ofOrganization);
  if (open.length >= ofProcess)
    throw new Problem('SERVICE_UNAVAILABLE', 'There are too many live streams just now.', undefined, RETRY_SECONDS);
}

const tooMany = (whose: string, most: number): Problem =>
  new Problem('RATE_LIMITED', `There are ${most} live streams ${whose} already.`, undefined, RETRY_SECONDS);
