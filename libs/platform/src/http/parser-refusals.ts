import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { requestTimeout } from './framework-problems';
import { RawReply, type RefusalReply, type RefusedRequest } from './raw-reply';
import { requestIdOf } from './request-id';
import { pathOf, type RouteMethods } from './route-methods';
import { MethodNotAllowed, ProtocolProblem } from './statuses';

export type Refuse = (error: unknown, request: RefusedRequest, reply: RefusalReply) => void;

/** An error of Node's parser, with the bytes it was given last. */
type ParserError = Error & { readonly code?: string; readonly rawPacket?: Buffer };
/** TRICKY: `_httpMessage` is Node's own name of the response that a connection is busy with. */
type BusySocket = Duplex & { readonly _httpMessage?: ServerResponse | null };

/** Gives our own refusals to requests that Node would refuse by itself, before anything else sees them. */
export function refuseUnparsed(
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
    return { id: requestIdOf({ headers }), ip, method, headers, routeOptions: {} };
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

/** Of headers that could not be read as a whole, those that a refusal answers to. */
function headersIn(head: string): IncomingHttpHeaders {
  const found = ['origin', 'x-request-id'].map((name) => [
    name,
    new RegExp(`^${name}:[ \\t]*(\\S+)[ \\t]*\\r?$`, 'im').exec(head)?.[1],
  ]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as IncomingHttpHeaders;
}
