import type { Scope } from '../events/api-key.events';
import type { Role } from '../events/organization.events';

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

/**
 * What a caller lacks: a scope, a role, or to be a `person`, a `key` or an `operator`; and what it must be held on, where
 * that matters.
 */
export interface Need {
  readonly needs: Scope | Role | 'person' | 'key' | 'operator';
  readonly of?: 'installation' | 'organization' | 'website' | 'link' | 'monitor';
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

/** The message is fixed; `needs` stands in the place of wrong fields, and never shows whether a thing exists. */
export class ForbiddenProblem extends Problem {
  constructor(readonly needs: readonly Need[]) {
    super('FORBIDDEN', 'Insufficient permissions');
  }
}

/** What stands under `details` in the body of an error. */
export const detailsOf = (problem: Problem): readonly (FieldError | Need)[] | undefined =>
  problem instanceof ForbiddenProblem && problem.needs.length > 0 ? problem.needs : problem.details;

/** Tables cannot answer yet; `progress`: how much of them is filled, from 0 to 1. */
export class RebuildingProblem extends Problem {
  constructor(readonly progress: number) {
    const filled = Math.floor(progress * 100);
    super('REBUILDING', `This is being rebuilt after an upgrade: ${filled} % are filled.`, undefined, 5);
  }
}
