import { Problem, type ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import { authRequired, forbidden, notFound, unavailable } from '../http/problems';

/**
 * An error response of the account library with our codes. For credentials the message is ours, which does not show what
 * exists; otherwise it is the library's. A 5xx is a bug and is only logged.
 */
export async function refusalOf(response: Response): Promise<Error> {
  const text = await response.text();
  const { status } = response;
  if (status === 401) return authRequired();
  if (status === 403) return forbidden();
  if (status === 404) return notFound('Route');
  if (status === 503) return unavailable();
  if (status >= 500) return new Error(`The account library answered ${status}: ${text}`);
  const { code, message } = parse(text);
  const known = status === 422 && isTaken(code) ? 'CONFLICT' : CODES[status];
  return new Problem(known ?? 'VALIDATION_ERROR', typeof message === 'string' ? message : 'The request was refused');
}

const CODES: Readonly<Partial<Record<number, ErrorCode>>> = {
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'RATE_LIMITED',
};

const isTaken = (code: unknown): boolean => typeof code === 'string' && code.includes('ALREADY_EXISTS');

function parse(text: string): { readonly code?: unknown; readonly message?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {}; // not JSON
  }
}
