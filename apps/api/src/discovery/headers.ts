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
export const LATER = refer('Retry-After');
export const TAGGED = refer('ETag');
export const WRITTEN = refer('X-Log-Position');

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
