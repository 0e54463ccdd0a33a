import { ERROR_CATALOGUE, type ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import { keysOf } from '@ledgerline/contracts/json';
import { BODY_LIMIT, MAX_HEADER_BYTES, REQUEST_TIMEOUT_MS } from '@ledgerline/platform/http/host-adapter';
import { STATUSES } from '@ledgerline/platform/http/problem.filter';

/** The headers of responses, each described once. */
export const HEADERS = {
  'X-Request-ID': {
    description: 'Names this request in the logs; as sent, or a new one',
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': whole('Requests the caller may make in a window'),
  'X-RateLimit-Remaining': whole('How many of them are left'),
  'X-RateLimit-Reset': whole('Seconds until the window ends'),
  'Retry-After': whole('Seconds after which trying again makes sense'),
  ETag: {
    description: 'Of this answer; sent as `If-None-Match`, it is not sent again while it is the same',
    schema: { type: 'string' },
  },
  'X-Log-Position': {
    description: 'Position of this write; sent as `X-Min-Position`, a query includes the write',
    schema: { type: 'string' },
  },
  'X-Total-Rows': whole('Of CSV: how many rows the list has in all'),
  'X-Hidden-Rows': whole('Of CSV: how many more rows a minimum leaves out, where any'),
  'X-Truncated': {
    description: 'Of CSV without `limit`: `true` where there are more rows than it holds, as its last line says, too',
    schema: { type: 'string', const: 'true' },
  },
};

function whole(description: string) {
  return { description, schema: { type: 'integer', minimum: 0 } };
}

const refer = (...names: readonly (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const ON_EVERY_RESPONSE = refer(
  'X-Request-ID',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
);
export const RETRY_AFTER_HEADER = refer('Retry-After');
export const ETAG_HEADER = refer('ETag');
export const LOG_POSITION_HEADER = refer('X-Log-Position');

/** The headers of requests. */
export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'A repeated request with the same key and body returns the result of the first one',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]*$' },
  },
  MinPosition: {
    name: 'X-Min-Position',
    in: 'header',
    description: 'An X-Log-Position: waits up to 2 s until it is included',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The `revision` of the record; with another current revision the request is refused with 409',
    schema: { type: 'string', pattern: '^(\\d{1,9}|"\\d{1,9}")$' },
  },
  CorrelationId: {
    name: 'X-Correlation-ID',
    in: 'header',
    description: 'Recorded with every event of this request, to find those of several requests together',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
  },
};

export const parameter = (name: keyof typeof PARAMETERS) => ({ $ref: `#/components/parameters/${name}` });

interface Refusal {
  /** The name of the response in the document. */
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
  TOO_LARGE: {
    name: 'TooLarge',
    error: 'This needs about 900 MB of the 512 MB that questions may hold here (QUERY_MEMORY_MB)',
  },
  INTERNAL: {
    name: 'Internal',
    error: 'Something went wrong on our side',
  },
};

const REQUEST_ID = '3d1c5c86-8f6f-4c0e-9a1b-6a2f9f0b7d11';

const codes = keysOf(REFUSALS);

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
  RATE_LIMITED: RETRY_AFTER_HEADER,
  SERVICE_UNAVAILABLE: RETRY_AFTER_HEADER,
  REBUILDING: RETRY_AFTER_HEADER,
};

const text = (description: string) => ({ type: 'string', description });

/** One wrong field of a request. */
export const FIELD_ERROR = {
  type: 'object',
  description: 'One wrong field of a request',
  properties: { field: text('Where it is: `scopes[1]`'), message: text('Why'), suggestion: text('Did you mean') },
  required: ['field', 'message'],
};

/** The schema of what a caller lacks. */
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
