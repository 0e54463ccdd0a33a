import { ERROR_CATALOGUE } from '@ledgerline/contracts/errors/error-catalogue';
import type { ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import { BODY_LIMIT, MAX_HEADER_BYTES, REQUEST_TIMEOUT_MS } from '@ledgerline/platform/http/host-adapter';
import { STATUSES } from '@ledgerline/platform/http/problem.filter';
import { LATER, ON_EVERY_RESPONSE } from './headers';

interface Refusal {
  /** Of the response in the document. */
  readonly name: string;
  readonly error: string;
  readonly details?: readonly object[];
}

const SECONDS = REQUEST_TIMEOUT_MS / 1000;
const MIB = BODY_LIMIT / 2 ** 20;

const REFUSALS: Readonly<Record<ErrorCode, Refusal>> = {
  AUTH_REQUIRED: {
    name: 'AuthRequired',
    error: 'Authentication required',
  },
  FORBIDDEN: {
    name: 'Forbidden',
    error: 'Insufficient permissions',
  },
  VALIDATION_ERROR: {
    name: 'ValidationError',
    error: 'The request is not valid',
    details: [{ field: 'parameters[0]', message: 'Is not a query type.', suggestion: 'top_pages' }],
  },
  METHOD_NOT_ALLOWED: {
    name: 'MethodNotAllowed',
    error: 'This path does not have that method',
  },
  REQUEST_TIMEOUT: {
    name: 'RequestTimeout',
    error: 'The request took too long to arrive',
  },
  NOT_FOUND: {
    name: 'NotFound',
    error: 'Link not found',
  },
  CONFLICT: {
    name: 'Conflict',
    error: 'This was changed meanwhile: its revision is now 3',
  },
  PAYLOAD_TOO_LARGE: {
    name: 'PayloadTooLarge',
    error: `The body is too large; the limit is ${MIB} MiB`,
  },
  RATE_LIMITED: {
    name: 'RateLimited',
    error: 'Too many requests',
  },
  SERVICE_UNAVAILABLE: {
    name: 'ServiceUnavailable',
    error: 'The service is not available right now',
  },
  REBUILDING: {
    name: 'Rebuilding',
    error: 'The tables of this list are being rebuilt: 42 % are filled',
  },
  INTERNAL: {
    name: 'Internal',
    error: 'Something went wrong on our side',
  },
};

const REQUEST_ID = '3d1c5c86-8f6f-4c0e-9a1b-6a2f9f0b7d11';

const codes = Object.keys(REFUSALS) as ErrorCode[];

/** Every refusal as a response, by its name; `Refused` is what the HTTP parser refuses of any request. */
export const errorResponses = () => ({
  ...Object.fromEntries(codes.map((code) => [REFUSALS[code].name, responseOf(code)])),
  Refused: { ...responseOf('METHOD_NOT_ALLOWED'), description: REFUSED },
});

const REFUSED = `What is refused of any request: another method than those in \`Allow\` (405), a request that did not arrive whole within ${SECONDS} s (408), a body over ${MIB} MiB (413) or of another type than JSON (415), headers over ${MAX_HEADER_BYTES / 1024} KiB (431).`;

/** The refusals with these codes, by status. */
export const refusedWith = (wanted: readonly ErrorCode[]) =>
  Object.fromEntries(
    wanted.map((code) => [String(STATUSES[code]), { $ref: `#/components/responses/${REFUSALS[code].name}` }]),
  );

function responseOf(code: ErrorCode) {
  const { error, details } = REFUSALS[code];
  const { causes, cure } = ERROR_CATALOGUE[code];
  const example = { success: false, error, code, requestId: REQUEST_ID, ...(details ? { details } : {}) };
  return {
    description: `\`${code}\`: ${causes.join(' ')} ${cure}`,
    headers: { ...ON_EVERY_RESPONSE, ...MORE[code] },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' }, example } },
  };
}

const header = (description: string) => ({ description, schema: { type: 'string' } });

/** Headers of one refusal alone. */
const MORE: Readonly<Partial<Record<ErrorCode, object>>> = {
  AUTH_REQUIRED: { 'WWW-Authenticate': header('Where to get a credential') },
  METHOD_NOT_ALLOWED: { Allow: header('The methods that the path has') },
  RATE_LIMITED: LATER,
  SERVICE_UNAVAILABLE: LATER,
  REBUILDING: LATER,
};

const text = (description: string) => ({ type: 'string', description });

/** One wrong field of a request. */
export const FIELD_ERROR = {
  type: 'object',
  description: 'One wrong field of a request',
  properties: { field: text('Where it is: `scopes[1]`'), message: text('Why'), suggestion: text('Did you mean') },
  required: ['field', 'message'],
};

/** What a caller lacks. */
export const NEED = {
  type: 'object',
  description: 'What the credential lacks',
  properties: {
    needs: text('A scope, a role, or `person`, `key` or `operator`'),
    of: text('On what: `website`, `organization` …'),
  },
  required: ['needs'],
};

/** The body of every error. */
export const PROBLEM = {
  type: 'object',
  description: 'The body of every error',
  properties: {
    success: { type: 'boolean', enum: [false] },
    error: text('Message for people'),
    code: { type: 'string', enum: codes },
    requestId: text('As in `X-Request-ID`'),
    details: {
      type: 'array',
      description: 'Every wrong field, or what is needed',
      items: { oneOf: [{ $ref: '#/components/schemas/FieldError' }, { $ref: '#/components/schemas/Need' }] },
    },
  },
  required: ['success', 'error', 'code', 'requestId'],
};
