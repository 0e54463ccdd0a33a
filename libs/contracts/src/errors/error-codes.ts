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
  | 'TOO_LARGE'
  | 'INTERNAL';

/** One wrong field of a request. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
  readonly suggestion?: string;
}

/**
 * A permission that a caller lacks: a scope, a role, or to be a `person`, a `key` or an `operator`; and what it must be
 * held on, where that matters.
 */
export interface MissingPermission {
  readonly needs: Scope | Role | 'person' | 'key' | 'operator';
  readonly of?: 'installation' | 'organization' | 'website' | 'link' | 'tag' | 'monitor';
}

/** So many wrong fields are listed; the message counts the others. */
export const MAX_LISTED = 20;

/** The longest path to a wrong field, whose last name is the caller's own. */
const MAX_FIELD = 120;

/** A wrong field whose name is cut where it is too long to be shown. */
export const shortenFieldError = <Of extends FieldError>(error: Of): Of =>
  error.field.length <= MAX_FIELD
    ? error
    : { ...error, field: `${error.field.slice(0, MAX_FIELD).replace(/[\ud800-\udbff]$/, '')}…` };

/** An expected failure: `message` and `details` are safe to show to the caller. */
export class Problem extends Error {
  readonly details?: readonly FieldError[] | undefined;

  constructor(
    readonly code: ErrorCode,
    private readonly summary: string,
    details?: readonly FieldError[],
    /** Seconds after which trying again makes sense. */
    readonly retryAfter?: number,
    /** The number of all wrong fields, also of those that are not listed. */
    readonly count = details?.length ?? 0,
  ) {
    const listed = details?.slice(0, MAX_LISTED).map(shortenFieldError);
    const more = count - (listed?.length ?? 0);
    super(more > 0 ? `${summary}: ${listed?.length ?? 0} faults are listed, and ${more} more` : summary);
    this.details = listed;
    this.name = 'Problem';
  }

  /** Returns the problem with at most so many wrong fields. */
  listing(max: number): Problem {
    return new Problem(this.code, this.summary, this.details?.slice(0, max), this.retryAfter, this.count);
  }
}

/** The message is fixed; `needs` stands in the place of wrong fields, and never shows whether a thing exists. */
export class ForbiddenProblem extends Problem {
  constructor(readonly needs: readonly MissingPermission[]) {
    super('FORBIDDEN', 'Insufficient permissions');
  }
}

/** Returns what stands under `details` in the body of an error. */
export const detailsOf = (problem: Problem): readonly (FieldError | MissingPermission)[] | undefined =>
  problem instanceof ForbiddenProblem && problem.needs.length > 0 ? problem.needs : problem.details;

/** Tables cannot answer yet; `progress`: how much of them is filled, from 0 to 1. */
export class RebuildingProblem extends Problem {
  constructor(readonly progress: number) {
    const filled = Math.floor(progress * 100);
    super('REBUILDING', `This is being rebuilt after an upgrade: ${filled} % are filled.`, undefined, 5);
  }
}

/** The explanation of an error code for the caller. */
interface ErrorExplanation {
  /** Why a request is refused with it: sentences. */
  readonly causes: readonly string[];
  /** Sentences that say what the caller can do. */
  readonly cure: string;
}

/** Every error code with its causes and its cure. A code without them does not compile. */
export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, ErrorExplanation>> = {
  AUTH_REQUIRED: {
    causes: [
      'The request has no credential, and the operation needs one.',
      'The API key is unknown, disabled, expired or revoked, or was rotated.',
      'The session of the person has ended.',
    ],
    cure: 'Send a valid API key as `x-api-key` or `Authorization: Bearer`, or sign in again.',
  },
  FORBIDDEN: {
    causes: [
      'The API key lacks the scope, or does not reach the website or link.',
      'The person does not have the role that the operation needs.',
      'Sign-up is closed, or needs an invitation. The address of the account is not confirmed yet.',
      'A page of another origin sent a change with the session of a person, or hits for a website that is not its own.',
    ],
    cure: 'Use a credential with what `details` names; an owner or admin of the organization can give them. For pages of other origins, see `DASHBOARD_ORIGINS`, and the domain of the website.',
  },
  VALIDATION_ERROR: {
    causes: [
      'A field has a wrong type or value, is missing, or is unknown; `details` names the wrong fields, twenty at most, each with one sentence.',
      'The body is not JSON, or is sent with another content type (status 415).',
      'The headers are too large (status 431).',
    ],
    cure: 'Correct the fields that `details` names; a `suggestion` is a value that would be taken. The same request fails again.',
  },
  METHOD_NOT_ALLOWED: {
    causes: ['The path exists, but not with this method.'],
    cure: 'Use one of the methods that the header `Allow` lists.',
  },
  REQUEST_TIMEOUT: {
    causes: ['The request did not arrive whole in time.'],
    cure: 'Send it again; on a slow connection, with a smaller body.',
  },
  NOT_FOUND: {
    causes: [
      'The path or the id does not exist, or no longer.',
      'It belongs to an organization that the caller may not see.',
    ],
    cure: 'Compare the id with the list of the same kind, read with the same credential.',
  },
  CONFLICT: {
    causes: [
      'A unique value is taken: a slug, a key, an address.',
      'The record was changed by another request since it was read (`If-Match`).',
      'The state forbids the change, as with the last owner of an organization, or a revoked key.',
      'The `Idempotency-Key` was sent before with another request.',
    ],
    cure: 'Read the record again and decide anew, with its current `revision` or another value.',
  },
  PAYLOAD_TOO_LARGE: {
    causes: ['The body is larger than the operation takes, or has too many objects, lists and names.'],
    cure: 'Send less at once: split a list over several requests.',
  },
  RATE_LIMITED: {
    causes: [
      'The key, person or address made more requests than the limit of the operation, or of the key, allows.',
      'Too many credentials from one address were wrong.',
      'The key, person or organization has as many live streams as it may.',
    ],
    cure: 'Send it again after the seconds in `Retry-After`; `X-RateLimit-Remaining` tells beforehand what is left.',
  },
  SERVICE_UNAVAILABLE: {
    causes: [
      'A store is not reached, or the process is starting or stopping. Nothing was stored.',
      'A store was lost while the request was written. The message says that it may be stored or not.',
      'A query took too long, or too many requests came at once.',
    ],
    cure: 'Send it again after the seconds in `Retry-After`, a command with the same `Idempotency-Key`: if the first one was stored, its result is returned. A command that was sent without a key may be done twice: look first. For a query that takes too long, a shorter range.',
  },
  REBUILDING: {
    causes: [
      'The service was upgraded, and the tables of this query type or list are still being filled. Everything else is answered.',
    ],
    cure: 'Ask again later; the message says how much is filled.',
  },
  TOO_LARGE: {
    causes: [
      'A query would hold more sessions, rows or answers in memory than the service may use for queries; the message says which.',
    ],
    cure: 'Ask for a shorter range, or without filters and in the own zone of the website; or for a smaller page; those who run the service can raise `QUERY_MEMORY_MB` or `API_HEAP_MB`.',
  },
  INTERNAL: {
    causes: ['An error of the service, which is in its log under the request id.'],
    cure: 'Report the `requestId` to those who run the service.',
  },
};
