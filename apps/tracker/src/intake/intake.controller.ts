import type { IncomingHttpHeaders } from 'node:http';
import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_LISTED, Problem, type ErrorCode, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import { MAX_ITEMS } from '@ledgerline/contracts/intake-limits';
import { isObject } from '@ledgerline/contracts/json';
import { credentialOf } from '@ledgerline/platform/api-keys/secret-store';
import { setRateLimitHeaders } from '../http/rate-limits';
import { INTAKE_DEPS } from '../tokens';
import { isUnseen, NOT_SEEN } from '../visitors/user-agent';
import { runIntake } from './intake';
import { newContext, type IntakeContext, type IntakeDeps, type RefusedItem, type IntakeRoute } from './intake-context';
import {
  pixelItem,
  readBrowserEvent,
  readCustomEvent,
  readEngagementSpan,
  readError,
  readIdentification,
  readVital,
  sendPixel,
} from './payloads';

/** A route, and the JSON body of its response. */
interface Endpoint extends IntakeRoute {
  readonly bodyOf: (context: IntakeContext) => object;
}

const endpoint = (
  read: IntakeRoute['read'],
  maxItems: number,
  bodyOf: Endpoint['bodyOf'],
  unidentified: ErrorCode = 'VALIDATION_ERROR',
): Endpoint => ({ read, maxItems, bodyOf, unidentified });

const TRACK = endpoint(readCustomEvent, MAX_ITEMS['/track'], countResponse('custom_event'), 'AUTH_REQUIRED');
const IDENTIFY = endpoint(readIdentification, MAX_ITEMS['/identify'], singleResponse, 'AUTH_REQUIRED');
const BATCH = endpoint(readBrowserEvent, MAX_ITEMS['/batch'], batchResponse);
const SINGLE = endpoint(readBrowserEvent, 1, singleResponse);
const VITALS = endpoint(readVital, MAX_ITEMS['/vitals'], countResponse('vitals'));
const ERRORS = endpoint(readError, MAX_ITEMS['/errors'], countResponse('errors'));
const ENGAGEMENT = endpoint(readEngagementSpan, MAX_ITEMS['/engagement'], countResponse('engagement'));

/** The routes that receive events. */
@Controller()
export class IntakeController {
  constructor(@Inject(INTAKE_DEPS) private readonly deps: IntakeDeps) {}

  @Post('track')
  @HttpCode(200)
  track(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(TRACK, request, reply);
  }

  @Post('identify')
  @HttpCode(200)
  identify(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(IDENTIFY, request, reply);
  }

  @Post('batch')
  @HttpCode(200)
  batch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(BATCH, request, reply);
  }

  @Post()
  @HttpCode(200)
  single(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(SINGLE, request, reply);
  }

  @Post('vitals')
  @HttpCode(200)
  vitals(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(VITALS, request, reply);
  }

  @Post('errors')
  @HttpCode(200)
  errors(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(ERRORS, request, reply);
  }

  @Post('engagement')
  @HttpCode(200)
  engagement(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(ENGAGEMENT, request, reply);
  }

  @Get('px.jpg')
  pixel(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(SINGLE, request, reply, pixelItem(request));
  }

  private async handle(route: Endpoint, request: FastifyRequest, reply: FastifyReply, pixel?: object): Promise<void> {
    const { headers } = request;
    const received = {
      route,
      receivedAt: Date.now(),
      body: pixel ?? request.body,
      secret: credentialOf(headers, { lenient: true }),
      websiteId: websiteIdOf(request),
      origin: headerOf(headers, 'origin'),
      isUnseen: isUnseen(headers),
      sentAt: integerOf(request, 'sent_at'),
      clockAhead: integerOf(request, 'clock_ahead'),
    };
    const context = newContext(received, request.ip, headerOf(headers, 'user-agent'));
    try {
      await runIntake(context, this.deps);
    } finally {
      if (context.rateLimit !== null) setRateLimitHeaders(context.rateLimit, reply);
    }
    if (context.positions.size > 0) void reply.header('x-log-position', logPositionOf(context.positions));
    if (context.bot !== null && context.bot !== NOT_SEEN) return void reply.status(204).send();
    const response = route.bodyOf(context); // throws where nothing was accepted
    if (pixel === undefined)
      void reply.send(received.sentAt === null ? response : { ...response, clockAhead: context.clockAhead });
    else sendPixel(reply);
  }
}

/** The website of the whole request: in the query string (the only place for beacons) or in a header. */
function websiteIdOf({ query, headers }: FastifyRequest): string | null {
  const { website_id, client_id } = parametersIn(query);
  return nonEmpty(website_id) ?? nonEmpty(client_id) ?? headerOf(headers, 'databuddy-client-id');
}

const parametersIn = (query: unknown): Readonly<Record<string, unknown>> => (isObject(query) ? query : {});

/**
 * Reads an integer of the query string, so that a request that is repeated says it anew and a beacon can; null of what
 * is no integer.
 */
function integerOf({ query }: FastifyRequest, name: 'sent_at' | 'clock_ahead'): number | null {
  const text = nonEmpty(parametersIn(query)[name]);
  return text !== null && /^-?\d{1,16}$/.test(text) ? Number(text) : null;
}

const headerOf = (headers: IncomingHttpHeaders, name: string): string | null => nonEmpty(headers[name]);

const nonEmpty = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/**
 * Counts how many items were accepted, and why others were not; clients take anything but `status: "success"` for a
 * failure.
 * @throws Problem when all are bad
 */
function countResponse(type: string): Endpoint['bodyOf'] {
  return ({ items, refused }) => {
    const errors = refusedFields(refused);
    if (items.length === 0) throw allRefused(refused, errors);
    return { status: 'success', type, count: items.length, ...(errors.length > 0 ? { errors } : {}) };
  };
}

/** The response of `/` and `/identify`. @throws Problem when the event is bad */
function singleResponse(context: IntakeContext): object {
  const [item] = context.items;
  if (item === undefined) throw allRefused(context.refused, refusedFields(context.refused));
  return { status: 'success', type: wireType(item.payload.facts.type) };
}

/** The errors of items that are listed: those of the first items, as many as a refusal lists; the message names one of the others. */
function listedItems(refused: readonly RefusedItem[]): ReadonlySet<number> {
  let left = MAX_LISTED;
  return new Set(refused.filter(({ errors }) => (left -= errors.length) >= 0).map(({ index }) => index));
}

/** The response of `/batch`: a result for each item, in order, and never a failure because of bad items alone. */
function batchResponse(context: IntakeContext): object {
  const { items, refused } = context;
  if (items.length === 0 && refused.some(({ code }) => code !== 'VALIDATION_ERROR'))
    throw allRefused(refused, refusedFields(refused));
  const listed = listedItems(refused);
  const results = [
    ...items.map(({ index, payload: { facts, clientEventId } }) => ({
      index,
      result: { status: 'success', type: wireType(facts.type), eventId: clientEventId },
    })),
    ...refused.map(({ index, eventId, code, errors }) => ({
      index,
      result: {
        status: 'error',
        eventId,
        message: sentence(errors),
        code,
        ...(listed.has(index) ? { errors } : {}),
      },
    })),
  ].sort((a, b) => a.index - b.index);
  return {
    status: refused.length === 0 ? 'success' : 'partial',
    batch: true,
    processed: items.length,
    results: results.map(({ result }) => result),
  };
}

const WIRE_TYPES: Readonly<Record<string, string>> = {
  OutgoingLinkClicked: 'outgoing_link',
  VisitorIdentified: 'identify',
};

const wireType = (type: string): string => WIRE_TYPES[type] ?? 'track';

/** All wrong fields, or of many one for each item. */
function refusedFields(refused: readonly RefusedItem[]) {
  const all = refused.flatMap(({ index, errors }) => errors.map((error) => ({ index, ...error })));
  const shown = all.filter(({ index }, at) => all.length <= MAX_LISTED || all[at - 1]?.index !== index);
  return shown.sort((a, b) => a.index - b.index);
}

/** One reason shared by all items is the request's own; otherwise it is simply not valid. */
function allRefused(refused: readonly RefusedItem[], errors: readonly FieldError[]): Problem {
  const [code = 'VALIDATION_ERROR', ...others] = new Set(refused.map((each) => each.code));
  const shared = others.length === 0 ? code : 'VALIDATION_ERROR';
  const message = shared === 'FORBIDDEN' ? 'Insufficient permissions' : sentence(errors);
  const count = refused.reduce((sum, each) => sum + each.errors.length, 0);
  return new Problem(shared, message, errors, undefined, count);
}

const sentence = (errors: readonly FieldError[]): string => {
  const [first] = errors;
  return first === undefined ? 'The request holds no events' : `${first.field} ${first.message}`;
};

/** `X-Log-Position`: the position of each partition after a write, for queries that must include it. */
const logPositionOf = (positions: ReadonlyMap<number, string>): string =>
  [...positions]
    .map(([partition, position]) =>
      isOfTopic(position) ? `k${partition}:${position.slice(1)}` : `i${partition}:${position}`,
    )
    .join(',');

/** Returns whether a position is one of the topic that is copied into the log. */
const isOfTopic = (position: string): boolean => position.startsWith('k');
