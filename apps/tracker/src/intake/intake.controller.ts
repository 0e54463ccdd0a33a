import { MAX_ITEMS } from '@ledgerline/contracts/intake-limits';
import type { IncomingHttpHeaders } from 'node:http';
import { credentialOf } from '@ledgerline/platform/api-keys/credential';
import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setRateLimitHeaders } from '../http/rate-limits';
import { isUnseen, NOT_SEEN } from '../visitors/bot-verdict';
import { INTAKE_DEPS } from '../tokens';
import { runIntake } from './intake';
import { newContext, type IntakeContext, type IntakeDeps, type Route } from './intake-context';
import { readBrowserEvent } from './payloads/browser-event.payload';
import { readCustomEvent } from './payloads/custom-event.payload';
import { readEngagementSpan } from './payloads/engagement-span.payload';
import { readError } from './payloads/error.payload';
import { readIdentification } from './payloads/identification.payload';
import { readVital } from './payloads/vital.payload';
import { pixelItem, sendPixel } from './pixel';
import { batchResponse, countResponse, logPositionOf, singleResponse } from './responses';

type Respond = (context: IntakeContext, reply: FastifyReply) => void;

/** A response with a JSON body. */
const json =
  (bodyOf: (context: IntakeContext) => object): Respond =>
  (context, reply) =>
    void reply.send(bodyOf(context));

const TRACK: Route = { read: readCustomEvent, maxItems: MAX_ITEMS.track, unidentified: 'AUTH_REQUIRED' };
const IDENTIFY: Route = { read: readIdentification, maxItems: 1, unidentified: 'AUTH_REQUIRED' };
const BATCH: Route = { read: readBrowserEvent, maxItems: MAX_ITEMS.batch, unidentified: 'VALIDATION_ERROR' };
const SINGLE: Route = { read: readBrowserEvent, maxItems: 1, unidentified: 'VALIDATION_ERROR' };
const VITALS: Route = { read: readVital, maxItems: MAX_ITEMS.vitals, unidentified: 'VALIDATION_ERROR' };
const ERRORS: Route = { read: readError, maxItems: MAX_ITEMS.errors, unidentified: 'VALIDATION_ERROR' };
const ENGAGEMENT: Route = {
  read: readEngagementSpan,
  maxItems: MAX_ITEMS.engagement,
  unidentified: 'VALIDATION_ERROR',
};

/** An image, once its event is known to be accepted. */
const image: Respond = (context, reply) => {
  singleResponse(context);
  sendPixel(reply);
};

/** The routes that receive events. */
@Controller()
export class IntakeController {
  constructor(@Inject(INTAKE_DEPS) private readonly deps: IntakeDeps) {}

  @Post('track')
  @HttpCode(200)
  track(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(TRACK, json(countResponse('custom_event')), request, reply);
  }

  @Post('identify')
  @HttpCode(200)
  identify(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(IDENTIFY, json(singleResponse), request, reply);
  }

  @Post('batch')
  @HttpCode(200)
  batch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(BATCH, json(batchResponse), request, reply);
  }

  @Post()
  @HttpCode(200)
  single(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(SINGLE, json(singleResponse), request, reply);
  }

  @Post('vitals')
  @HttpCode(200)
  vitals(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(VITALS, json(countResponse('vitals')), request, reply);
  }

  @Post('errors')
  @HttpCode(200)
  errors(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(ERRORS, json(countResponse('errors')), request, reply);
  }

  @Post('engagement')
  @HttpCode(200)
  engagement(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(ENGAGEMENT, json(countResponse('engagement')), request, reply);
  }

  @Get('px.jpg')
  pixel(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(SINGLE, image, request, reply, pixelItem(request));
  }

  private async handle(
    route: Route,
    respond: Respond,
    request: FastifyRequest,
    reply: FastifyReply,
    body = request.body,
  ): Promise<void> {
    const { headers } = request;
    const received = {
      route,
      receivedAt: Date.now(),
      body,
      secret: credentialOf(headers, { lenient: true }),
      websiteId: websiteIdOf(request),
      origin: headerOf(headers, 'origin'),
      isUnseen: isUnseen(headers),
      sentAt: sentAtOf(request),
    };
    const context = newContext(received, request.ip, headerOf(headers, 'user-agent'));
    try {
      await runIntake(context, this.deps);
    } finally {
      if (context.rateLimit !== null) setRateLimitHeaders(context.rateLimit, reply);
    }
    if (context.positions.size > 0) void reply.header('x-log-position', logPositionOf(context.positions));
    if (context.bot === null || context.bot === NOT_SEEN) respond(context, reply);
    else void reply.status(204).send();
  }
}

/** The website of the whole request: in the query string (the only place for beacons) or in a header. */
function websiteIdOf({ query, headers }: FastifyRequest): string | null {
  const { website_id, client_id } = query as Readonly<Record<string, unknown>>;
  return nonEmpty(website_id) ?? nonEmpty(client_id) ?? headerOf(headers, 'databuddy-client-id');
}

/** In the query string, so that a request that is repeated says it anew and a beacon can. */
function sentAtOf({ query }: FastifyRequest): number | null {
  const text = nonEmpty((query as Readonly<Record<string, unknown>>).sent_at);
  return text !== null && /^\d{1,16}$/.test(text) ? Number(text) : null;
}

const headerOf = (headers: IncomingHttpHeaders, name: string): string | null => nonEmpty(headers[name]);

const nonEmpty = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
