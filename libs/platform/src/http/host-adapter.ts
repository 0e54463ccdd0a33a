import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '../config/settings';
import { clientAddressReader } from './address';
import { RouteMethods, pathOf } from './observe-requests';
import {
  MethodNotAllowed,
  ProtocolProblem,
  RawReply,
  type RefusalReply,
  type RefusedRequest,
  requestTimeout,
} from './problem.filter';

export interface HttpHostOptions {
  readonly trustProxy: Settings['trustProxy'];
  /** A request has to arrive whole within this time. */
  readonly requestTimeoutMs?: number;
  /** The headers of every response to a request with these, whatever it is; the path of what is no HTTP is not known. */
  readonly headersFor: (headers: IncomingHttpHeaders, path?: string) => Readonly<Record<string, string>>;
  /** The headers of the response to an allowed CORS preflight; undefined for any other request. */
  readonly preflightHeaders?: (request: FastifyRequest) => Readonly<Record<string, string>> | undefined;
  readonly rewriteUrl?: (url: string) => string;
  readonly exposeHeadRoutes?: boolean;
  /** Longer values are no parameters of a path. */
  readonly maxParamLength: number;
}

export const BODY_LIMIT = 1024 * 1024;
export const REQUEST_TIMEOUT_MS = 30_000;
export const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Fastify with the request ids, headers and limits of a host. Whatever Node or Fastify would refuse by themselves goes to
 * `refuse`, so that every refusal has the same body.
 */
export class HostAdapter extends FastifyAdapter {
  readonly routes = new RouteMethods();
  /** Answers a request that no route takes; set once there is an application. */
  refuse: Refuse = (_, __, reply) => void reply.status(503).send({});
  /** Counts a preflight, which no guard sees, once there is an application. @throws Problem when it is refused */
  countPreflight: (request: FastifyRequest, reply: FastifyReply) => Promise<void> | void = () => undefined;
  private stopping = false;
  private readonly connections = new Set<Socket>();

  constructor({
    trustProxy,
    headersFor,
    preflightHeaders,
    rewriteUrl = (url) => url,
    exposeHeadRoutes = true,
    maxParamLength,
    requestTimeoutMs = REQUEST_TIMEOUT_MS,
  }: HttpHostOptions) {
    const addressOf = clientAddressReader(trustProxy);
    // instead of Fastify's own, which knows one header and no normal form
    const setAddress = (request: FastifyRequest) =>
      void Object.defineProperty(request, 'ip', { value: addressOf(request.raw) });
    super({
      exposeHeadRoutes,
      routerOptions: { maxParamLength, ignoreTrailingSlash: true },
      ...limits(requestTimeoutMs),
      rewriteUrl: ({ url = '/' }) => pathOfTarget(rewriteUrl(url)),
      genReqId: requestIdFromHeaders,
      requestIdHeader: false,
      return503OnClosing: false,
      // what never reaches a hook, such as a malformed URL
      frameworkErrors: (_: Error, request: FastifyRequest, reply: FastifyReply) => {
        setAddress(request);
        void reply.headers({ ...headersFor(request.headers, pathOf(request.url)), 'x-request-id': request.id });
        this.refuse(unreadableAddress(), request, reply);
      },
    });
    const server = this.getInstance();
    server.server.on('connection', (socket: Socket) => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
    server.addHook('onRoute', ({ url, method }) => {
      // a route for all methods has this one too, which would send back credentials
      this.routes.add(
        url,
        [method].flat().filter((each) => each !== 'TRACE'),
      );
    });
    server.addHook('onRequest', (request, reply, done) => {
      setAddress(request);
      void reply.headers(headersFor(request.headers, pathOf(request.url))).header('x-request-id', request.id);
      const preflight = preflightHeaders?.(request);
      if (preflight) void this.answerPreflight(request, reply, preflight);
      else done(this.refusalOf(request, reply));
    });
    refuseUnparsed(server.server, this.routes, addressOf, (problem, request, reply) => {
      const headers = { ...headersFor(request.headers), 'x-request-id': request.id };
      for (const [name, value] of Object.entries(headers)) reply.header(name, value);
      this.refuse(problem, request, reply);
    });
  }

  /** Nest would bring parsers for JSON and forms; each host has its own. */
  override registerParserMiddleware(): void {
    // intentionally empty
  }

  /** When all requests are answered. Connections that a browser has opened and sent nothing on would hold it up. */
  override close(): Promise<void> {
    this.stopping = true;
    for (const socket of this.connections) if (socket.bytesRead === 0) socket.destroy();
    return super.close();
  }

  private async answerPreflight(
    request: FastifyRequest,
    reply: FastifyReply,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    try {
      await this.countPreflight(request, reply);
      await reply.headers(headers).status(204).send();
    } catch (error) {
      this.refuse(error, request, reply);
    }
  }

  /** Why a request is refused before its body is read. */
  private refusalOf(request: FastifyRequest, reply: FastifyReply): Problem | undefined {
    const { raw, headers, method, url } = request;
    if (this.stopping) {
      void reply.header('connection', 'close');
      return new Problem('SERVICE_UNAVAILABLE', 'The service is stopping', undefined, RETRY_SECONDS);
    }
    if (raw.httpVersion === '1.1' && headers.host === undefined)
      return new Problem('VALIDATION_ERROR', 'The request has no Host header');
    const path = pathOf(url);
    const isRouted = !request.is404 && method !== 'TRACE';
    if (isRouted && !this.routes.isShadowed(path, method)) return undefined;
    const allowed = this.routes.allowed(path);
    if (allowed.length === 0) return new Problem('NOT_FOUND', 'No such route');
    return new MethodNotAllowed(allowed);
  }
}

const RETRY_SECONDS = 2;

/** TRICKY: for the target `*` Fastify runs no hook, which sets the headers; this path is no route either. */
const pathOfTarget = (url: string): string => (url.startsWith('*') ? `/*/${url}` : url);

const unreadableAddress = () => new Problem('VALIDATION_ERROR', 'The address cannot be read');

/** TRICKY: Node looks only now and then for requests that take too long, every 30 s by default. */
const limits = (requestTimeoutMs: number) => ({
  bodyLimit: BODY_LIMIT,
  requestTimeout: requestTimeoutMs,
  http: {
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs / 2),
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
  },
});

type Refuse = (error: unknown, request: RefusedRequest, reply: RefusalReply) => void;

/** An error of Node's parser, with the bytes it was given last. */
type ParserError = Error & { readonly code?: string; readonly rawPacket?: Buffer };
/** TRICKY: `_httpMessage` is Node's own name of the response that a connection is busy with. */
type BusySocket = Duplex & { readonly _httpMessage?: ServerResponse | null };

/** Gives our own refusals to requests that Node would refuse by itself, before anything else sees them. */
function refuseUnparsed(
  server: Server,
  routes: RouteMethods,
  addressOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string,
  refuse: Refuse,
): void {
  server.removeAllListeners('clientError');
  server.on('clientError', (error: ParserError, socket: BusySocket) => {
    const response = socket._httpMessage;
    if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent) {
      socket.destroy();
      return;
    }
    const head = error.rawPacket?.toString('latin1') ?? '';
    const headers = response?.req.headers ?? headersIn(head);
    const request = requestOf(socket, headers, response?.req.method);
    refuse(problemOf(error, head, routes), request, new RawReply(socket));
  });
  server.on('checkExpectation', (request: IncomingMessage) => {
    refuseHere(request, new ProtocolProblem(417, 'Only Expect: 100-continue can be met'));
  });
  server.on('connect', (request: IncomingMessage) => refuseHere(request, new MethodNotAllowed(routes.all)));

  const refuseHere = ({ socket, headers, method }: IncomingMessage, problem: Problem) =>
    refuse(problem, requestOf(socket, headers, method), new RawReply(socket));

  function requestOf(socket: Duplex, headers: IncomingHttpHeaders, method = '(none)'): RefusedRequest {
    const ip = socket instanceof Socket ? addressOf({ headers, socket }) : '';
    return { id: requestIdFromHeaders({ headers }), ip, method, headers, routeOptions: {} };
  }
}

function problemOf({ code }: ParserError, head: string, routes: RouteMethods): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  if (code === 'HPE_HEADER_OVERFLOW') return new ProtocolProblem(431, 'The headers of the request are too large');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new Problem('PAYLOAD_TOO_LARGE', 'The body is too large');
  const target = /^[!#$%&'*+.^_`|~\w-]+ (\/\S*) HTTP\/1\.[01]\r?\n/.exec(head)?.[1];
  const allowed = code === 'HPE_INVALID_METHOD' && target !== undefined ? routes.allowed(pathOf(target)) : [];
  return allowed.length > 0
    ? new MethodNotAllowed(allowed)
    : new Problem('VALIDATION_ERROR', 'The request is not valid HTTP');
}

/** Returns of headers that could not be read as a whole those that a refusal answers to. */
function headersIn(head: string): IncomingHttpHeaders {
  const found = ['origin', 'x-request-id'].map((name) => [
    name,
    new RegExp(`^${name}:[ \\t]*(\\S+)[ \\t]*\\r?$`, 'im').exec(head)?.[1],
  ]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as IncomingHttpHeaders;
}

const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's own X-Request-ID where it is a plain token, else a new one. */
export function requestIdFromHeaders({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : randomUUID();
}
