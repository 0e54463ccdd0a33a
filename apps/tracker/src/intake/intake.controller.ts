import { credentialOf } from '@ledgerline/platform/api-keys/credential';
import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { logPositionOf } from '../http/log-position';
import { sayLimit } from '../http/say-limit';
import { TOOLS } from '../tokens';
import { batchAnswer, engagementAnswer, errorsAnswer, singleAnswer, trackAnswer, vitalsAnswer } from './answers';
import { newDelivery, type Delivery, type Route } from './delivery';
import { takeIn } from './intake';
import { readCustomEvent } from './payloads/custom-event.payload';
import { readEngagementSpan } from './payloads/engagement-span.payload';
import { readError } from './payloads/error.payload';
import { readBrowserEvent } from './payloads/read-payload';
import { readVital } from './payloads/vital.payload';
import { headerOf, websiteIdOf } from './request-parts';
import type { Tools } from './tools';

type Answer = (delivery: Delivery) => object;

const TRACK: Route = { read: readCustomEvent, maxItems: 100, nobody: 'AUTH_REQUIRED' };
const BATCH: Route = { read: readBrowserEvent, maxItems: 100, nobody: 'VALIDATION_ERROR' };
const SINGLE: Route = { read: readBrowserEvent, maxItems: 1, nobody: 'VALIDATION_ERROR' };
const VITALS: Route = { read: readVital, maxItems: 20, nobody: 'VALIDATION_ERROR' };
const ERRORS: Route = { read: readError, maxItems: 50, nobody: 'VALIDATION_ERROR' };
const ENGAGEMENT: Route = { read: readEngagementSpan, maxItems: 20, nobody: 'VALIDATION_ERROR' };

/** The routes that take events. */
@Controller()
export class IntakeController {
  constructor(@Inject(TOOLS) private readonly tools: Tools) {}

  @Post('track')
  @HttpCode(200)
  track(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.take(TRACK, trackAnswer, request, reply);
  }

  @Post('batch')
  @HttpCode(200)
  batch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.take(BATCH, batchAnswer, request, reply);
  }

  @Post()
  @HttpCode(200)
  single(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.take(SINGLE, singleAnswer, request, reply);
  }

  @Post('vitals')
  @HttpCode(200)
  vitals(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.take(VITALS, vitalsAnswer, request, reply);
  }

  @Post('errors')
  @HttpCode(200)
  errors(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.take(ERRORS, errorsAnswer, request, reply);
  }

  @Post('engagement')
  @HttpCode(200)
  engagement(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.take(ENGAGEMENT, engagementAnswer, request, reply);
  }

  private async take(route: Route, answer: Answer, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { headers } = request;
    const asked = {
      route,
      receivedAt: Date.now(),
      body: request.body,
      secret: credentialOf(headers, { lenient: true }),
      websiteId: websiteIdOf(request),
      origin: headerOf(headers, 'origin'),
    };
    const delivery = newDelivery(asked, request.ip, headerOf(headers, 'user-agent'));
    try {
      await takeIn(delivery, this.tools);
    } finally {
      if (delivery.rateLimit !== null) sayLimit(delivery.rateLimit, reply);
    }
    if (delivery.positions.size > 0) void reply.header('x-log-position', logPositionOf(delivery.positions));
    if (delivery.bot === null) void reply.send(answer(delivery));
    else void reply.status(204).send();
  }
}
