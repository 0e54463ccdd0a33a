import type { IncomingHttpHeaders } from 'node:http';
import {
  type BeforeApplicationShutdown,
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  Query,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Gauge } from 'prom-client';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { type Caller, actorOf, neededFor } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { withinTimeout } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { Id } from '../../http/fields';
import { forbidden, unavailableProblem } from '../../http/problems';
import { object, text, yes } from '../../http/record.dto';
import { Budget, CurrentCaller, IsHead, PreferredType, Requires, clientDisconnectSignal } from '../../http/route';
import { AuthModule } from '../../identity/auth/auth.module';
import { Authenticator } from '../../identity/auth/authenticator';
import { LOGGER } from '../../tokens';
import type { RequestAnswer } from '../execution/response';
import { ANSWER } from '../http/query-schemas';
import { QueryModule } from '../http/query.controller';
import { type QueryTarget, QueryTargets } from '../request/query-targets';
import { LIVE_MINUTES, LiveAnswers } from './live-answers';
import { EventStream, WebsiteWatch } from './website-watch';

/**
 * The greatest numbers of streams. Each stream is a connection, and up to a quarter of a MiB while its reader is slow.
 */
export const MAX_STREAMS = { ofProcess: 500, ofOrganization: 100, ofCaller: 10 } as const;
const RETRY_SECONDS = 10;

/** The time, ms, between two checks of whether their callers may still read. */
const CHECK_MS = 10_000;
/** Browsers connect again: after a deployment connections spread over all processes within this time. */
const LIFE_MS = 15 * 60_000;

/** The holder of a stream. */
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
    const organization = this.registry.find('websites', websiteId)?.organizationId ?? '';
    const holder = { caller: actorOf(caller).id, organization };
    if (this.isStopping) throw unavailableProblem(RETRY_SECONDS);
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

  /** Ends the streams whose callers may not read any more, or for whom that cannot be decided. */
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

const EVENT_STREAM = 'text/event-stream';

class LiveDto {
  @Id('The website')
  website_id: string;
}

const DESCRIPTION = `The answer to \`active_stats\` and the \`realtime_…\` types over the last ${LIVE_MINUTES} minutes of the clock, as \`POST /v1/query\` gives it. With \`Accept: ${EVENT_STREAM}\` it is a stream of Server-Sent Events: each message is the whole answer, sent at first and within a second after it changes. Streams end after a quarter of an hour, when the caller may not read any more, and when the process ends; a client connects again. Beyond ${MAX_STREAMS.ofCaller} streams of a key or person or ${MAX_STREAMS.ofOrganization} of an organization a process answers 429, beyond ${MAX_STREAMS.ofProcess} in all 503. For keys with \`read:data\` and members of the organization.`;

@ApiTags('Query')
@Controller('v1/live')
class LiveController {
  constructor(
    private readonly streams: LiveStreams,
    private readonly answers: LiveAnswers,
  ) {}

  @Get()
  @ApiOperation({ summary: 'What happens on a website just now, once or as a stream', description: DESCRIPTION })
  @ApiOkResponse({
    content: {
      'application/json': { schema: object({ success: yes, ...ANSWER }) },
      [EVENT_STREAM]: { schema: text },
    },
  })
  @Requires('read:data')
  @Budget('query')
  async show(
    @Query() { website_id: websiteId }: LiveDto,
    @CurrentCaller() caller: Caller,
    @Req() { headers }: FastifyRequest,
    @PreferredType(['application/json', EVENT_STREAM]) mediaType: string,
    @IsHead() isHead: boolean,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RequestAnswer | StreamableFile> {
    const signal = clientDisconnectSignal(reply);
    if (isHead || mediaType !== EVENT_STREAM) {
      const target = await this.streams.targetFor(caller, websiteId);
      return (await this.answers.read(target, signal)).answer;
    }
    const stream = await this.streams.start({ caller, headers, signal }, websiteId);
    void reply.header('x-accel-buffering', 'no'); // of nginx, which would keep messages back
    return new StreamableFile(stream, { type: EVENT_STREAM });
  }
}

/** Provides what happens on websites just now. */
@Module({
  imports: [AuthModule, QueryModule],
  controllers: [LiveController],
  providers: [LiveAnswers, LiveStreams],
})
export class LiveModule {}
