import { Problem, type ErrorCode } from '@ledgerline/contracts/errors/error-codes';

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
