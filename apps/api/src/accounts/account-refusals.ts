import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { authRequired, conflict, forbidden, invalid, notFound } from '../http/problems';

/** An error of the account library: its HTTP status, and the code and sentence of its body. */
interface LibraryError {
  readonly statusCode: number;
  readonly body?: { readonly code?: unknown; readonly message?: unknown };
}

export const isLibraryError = (error: unknown): error is Error & LibraryError =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number';

/** A sign-in with the right password before the address was verified. */
export class UnverifiedAddress extends Problem {
  constructor() {
    super(
      'FORBIDDEN',
      'Your address is not confirmed yet: open the link in the mail that was sent to it, or ask for another mail',
    );
  }
}

/** The code by which the library passes that on. */
export const UNVERIFIED = 'EMAIL_NOT_VERIFIED';

/**
 * A refusal of the account library with our codes; undefined for a failure of its own. For credentials the message is
 * ours, which does not show what exists.
 */
export function refusalOf({ statusCode: status, body = {} }: LibraryError): Problem | undefined {
  const code = typeof body.code === 'string' ? body.code : '';
  if (status >= 500 || code.startsWith('FAILED_TO_')) return undefined;
  if (WRONG_TOKENS.includes(code))
    return invalid([{ field: 'token', message: 'Is not valid, or not any more: ask for another mail.' }]);
  if (code === UNVERIFIED) return new UnverifiedAddress();
  if (status === 401) return authRequired();
  if (status === 403) return forbidden();
  if (status === 404) return notFound('Route');
  if (status === 429) return new Problem('RATE_LIMITED', 'Too many requests');
  const message = typeof body.message === 'string' && body.message !== '' ? body.message : 'The request was refused';
  if (status === 409 || code.includes('ALREADY_EXISTS')) return conflict(message);
  const [field, sentence = message] = FIELDS[code] ?? [/^\[(?:body|query)\.(\w+)\]/.exec(message)?.[1]];
  return field === undefined ? new Problem('VALIDATION_ERROR', message) : invalid([{ field, message: sentence }]);
}

/** The library names a field in its code, or in a sentence such as `[body.email] Invalid input`. */
const FIELDS: Readonly<Partial<Record<string, readonly [field: string, sentence: string]>>> = {
  INVALID_EMAIL: ['email', 'Must be an email address such as ada@example.com.'],
  INVALID_PASSWORD: ['currentPassword', 'Is not your password.'],
};

/** Of tokens that were mailed: one that is none of ours, is over or was used, or belongs to another account. */
const WRONG_TOKENS: readonly string[] = ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'USER_NOT_FOUND', 'INVALID_USER'];
