import type { IncomingMessage } from 'node:http';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { credentialOf, isSameSecret } from '../api-keys/credential';

type Asking = Pick<IncomingMessage, 'headers' | 'socket'>;

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];
const LOOPBACK = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/;
const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/;

/**
 * Lets in those with METRICS_TOKEN; without one configured, only requests of this machine that no proxy has passed on.
 * @throws Problem AUTH_REQUIRED · FORBIDDEN
 */
export function assertMayReadMetrics(request: Asking, token: string | undefined): void {
  if (mayReadMetrics(request, token)) return;
  throw token === undefined
    ? new Problem('FORBIDDEN', 'Insufficient permissions')
    : new Problem('AUTH_REQUIRED', 'Authentication required');
}

/** The same as an answer, for a report of which other callers see a part. */
export const mayReadMetrics = (request: Asking, token: string | undefined): boolean =>
  token === undefined ? isLocal(request) : isSameSecret(credentialOf(request.headers) ?? '', token);

/** The host is looked at, too, because a page in a browser may have another name for this machine. */
const isLocal = ({ headers, socket }: Asking): boolean =>
  LOOPBACK.test(socket.remoteAddress ?? '') &&
  LOCAL_HOST.test(headers.host ?? '') &&
  FORWARDED.every((name) => headers[name] === undefined);
