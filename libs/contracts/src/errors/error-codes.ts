/** The closed set of codes an error body may carry. Which HTTP status each has is the business of the apps. */
export type ErrorCode =
  | 'AUTH_REQUIRED'
  | 'FORBIDDEN'
  | 'VALIDATION_ERROR'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'PAYLOAD_TOO_LARGE'
  | 'RATE_LIMITED'
  | 'SERVICE_UNAVAILABLE'
  | 'REBUILDING'
  | 'INTERNAL';

/** One wrong field of a request. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** An expected failure: `message` and `details` are safe to show to the caller. */
export class Problem extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: readonly FieldError[],
    /** Seconds after which trying again makes sense. */
    readonly retryAfter?: number,
  ) {
    super(message);
    this.name = 'Problem';
  }
}

/** Tables cannot answer yet; `progress`: how much of them is filled, from 0 to 1. */
export class RebuildingProblem extends Problem {
  constructor(readonly progress: number) {
    const filled = Math.floor(progress * 100);
    super('REBUILDING', `This is being rebuilt after an upgrade: ${filled} % are filled.`, undefined, 5);
  }
}
