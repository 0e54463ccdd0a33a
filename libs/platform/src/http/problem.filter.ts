import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { types } from 'node:util';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { type ErrorCode, Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Logger } from '../logging/logger';
import type { StoreOutages } from '../logging/outage-log';

/** The way in which one host refuses requests. */
export interface HostRefusals {
  /** Returns what a failure is to the client; undefined for a bug. */
  problemOf(error: unknown): Problem | undefined;
  /** Counts a refusal; answers the one that takes its place when a budget is exceeded by it. */
  count(problem: Problem, request: RefusedRequest, reply: RefusalReply): Problem | Promise<Problem>;
  /** `WWW-Authenticate` where a credential is missing or wrong, or does not suffice. */
  challenge(problem: Problem, request: RefusedRequest): string | undefined;
  /** `Allow` of a path with these methods. */
  allow(methods: readonly string[]): readonly string[];
  bodyOf(problem: Problem, request: RefusedRequest): object;
}

/** Turns every failure into the host's error body. The details of a bug are only logged, under the request id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly host: HostRefusals,
    private readonly outages: StoreOutages,
    private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): Promise<void> {
    return this.refuse(error, host.switchToHttp().getRequest(), host.switchToHttp().getResponse());
  }

  async refuse(error: unknown, request: RefusedRequest, reply: RefusalReply): Promise<void> {
    if (reply.sent) return;
    const first = this.host.problemOf(error) ?? internalProblem();
    this.log(first, error, request);
    const problem = await this.counted(first, request, reply);
    const challenge = this.host.challenge(problem, request);
    if (challenge !== undefined) reply.header('www-authenticate', challenge);
    if (problem instanceof MethodNotAllowed) reply.header('allow', this.host.allow(problem.allowed).join(', '));
    if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter));
    reply.header('x-request-id', request.id);
    reply.header('content-type', 'application/json; charset=utf-8'); // the route may have announced another one
    reply.status(statusOf(problem)).send(this.host.bodyOf(problem, request));
  }

  /** Counts a request that was refused before its route could count it. */
  private async counted(problem: Problem, request: RefusedRequest, reply: RefusalReply): Promise<Problem> {
    if (statusOf(problem) >= 500) return problem;
    if (reply.hasHeader('x-ratelimit-limit')) return problem;
    try {
      return await this.host.count(problem, request, reply);
    } catch (err) {
      this.logger.error({ requestId: request.id, err }, 'a refusal could not be counted');
      return problem;
    }
  }

  private log({ code }: Problem, err: unknown, { id: requestId, method, routeOptions }: RefusedRequest): void {
    const route = `${method} ${routeOptions.url ?? '(no route)'}`;
    if (code === 'INTERNAL') this.logger.error({ requestId, route, err }, 'a request failed');
    if (code !== 'SERVICE_UNAVAILABLE' || err instanceof Problem) return;
    this.logger.debug({ requestId, route }, 'a request was refused because a store is unavailable');
    this.outages.refused(err);
  }
}

/** Returns what an error of Nest or Fastify is to the caller, by the status it carries; undefined for other errors. */
export function frameworkProblem(error: unknown): Problem | undefined {
  const status = frameworkStatus(error);
  if (status === undefined || status < 400 || (status > 499 && status !== 503)) return undefined;
  return PROBLEMS[status]?.() ?? new Problem('VALIDATION_ERROR', 'The request is not valid');
}

function frameworkStatus(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = types.isNativeError(error) && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
}

const PROBLEMS: Readonly<Partial<Record<number, () => Problem>>> = {
  400: () => new Problem('VALIDATION_ERROR', 'The request cannot be read; its body must be JSON'),
  404: () => new Problem('NOT_FOUND', 'No such route'),
  408: () => requestTimeout(),
  413: () => new Problem('PAYLOAD_TOO_LARGE', 'The body is too large'),
  414: () => new Problem('VALIDATION_ERROR', 'The address is too long'),
  415: () => new ProtocolProblem(415, 'The body must be JSON, with Content-Type: application/json'),
  429: () => new Problem('RATE_LIMITED', 'Too many requests'),
  503: () => new Problem('SERVICE_UNAVAILABLE', 'The service is not available right now', undefined, 1),
};

export const requestTimeout = (): Problem => new Problem('REQUEST_TIMEOUT', 'The request did not arrive whole in time');

/** Returns what a bug is to the caller. */
export const internalProblem = (): Problem => new Problem('INTERNAL', 'Something went wrong on our side');

/** The HTTP status of every error code. */
export const STATUSES: Readonly<Record<ErrorCode, number>> = {
  AUTH_REQUIRED: 401,
  FORBIDDEN: 403,
  VALIDATION_ERROR: 400,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  SERVICE_UNAVAILABLE: 503,
  REBUILDING: 503,
  TOO_LARGE: 422,
  INTERNAL: 500,
};

/** A malformed request for which HTTP has a status of its own. */
export class ProtocolProblem extends Problem {
  constructor(
    readonly status: 415 | 417 | 431,
    message: string,
  ) {
    super('VALIDATION_ERROR', message);
  }
}

/** A method that the path does not have, with those that it has. */
export class MethodNotAllowed extends Problem {
  constructor(readonly allowed: readonly string[]) {
    super('METHOD_NOT_ALLOWED', 'This path does not have that method');
  }
}

export const statusOf = (problem: Problem): number =>
  problem instanceof ProtocolProblem ? problem.status : STATUSES[problem.code];

/** The part of a request that is needed to refuse it; Fastify's have it, and those that never become one. */
export interface RefusedRequest {
  readonly id: string;
  readonly ip: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly routeOptions: { readonly url?: string | undefined };
}

/** The part of a reply that is needed to refuse a request. */
export interface RefusalReply {
  readonly sent: boolean;
  hasHeader(name: string): boolean;
  header(name: string, value: string | number): unknown;
  status(code: number): { send(body: object): unknown };
}

/** The reply to a request that Node refuses before it is one, written to its connection, which it ends. */
export class RawReply implements RefusalReply {
  private readonly headers = new Map<string, string>();

  constructor(private readonly socket: Duplex) {}

  get sent(): boolean {
    return !this.socket.writable;
  }

  hasHeader(name: string): boolean {
    return this.headers.has(name.toLowerCase());
  }

  header(name: string, value: string | number): this {
    this.headers.set(name.toLowerCase(), String(value).replaceAll(/[^\x20-\x7e]/g, ''));
    return this;
  }

  status(code: number): { send(body: object): void } {
    return { send: (body) => this.write(code, JSON.stringify(body)) };
  }

  private write(code: number, body: string): void {
    if (this.sent) return;
    this.header('content-length', String(Buffer.byteLength(body)));
    this.header('connection', 'close');
    const lines = [...this.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
    this.socket.end(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines}\r\n${body}`);
  }
}
