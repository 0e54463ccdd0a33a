import type { ErrorCode } from '@ledgerline/contracts/errors/error-codes';

/** The HTTP status of every error code. */
export const STATUSES: Readonly<Record<ErrorCode, number>> = {
  AUTH_REQUIRED: 401,
  FORBIDDEN: 403,
  VALIDATION_ERROR: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL: 500,
};
