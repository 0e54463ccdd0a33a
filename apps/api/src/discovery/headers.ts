import type { OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Response = Exclude<Operation['responses'][string], { $ref: string } | undefined>;
type Headers = NonNullable<Response['headers']>;

const whole = (description: string) => ({ description, schema: { type: 'integer' } });

const BUDGET: Headers = {
  'X-RateLimit-Limit': whole('Requests the caller may make in a window'),
  'X-RateLimit-Remaining': whole('How many of them are left'),
  'X-RateLimit-Reset': whole('Seconds until the window ends'),
};
const LATER: Headers = { 'Retry-After': whole('Seconds after which trying again makes sense') };
const WRITTEN: Headers = {
  'X-Log-Position': {
    description: 'Position of this write; sent as `X-Min-Position`, a query includes the write',
    schema: { type: 'string' },
  },
};

/** The headers of an answer by its status. */
const headersOf = (status: string, writes: boolean): Headers => ({
  ...BUDGET,
  ...(status === '429' || status === '503' ? LATER : {}),
  ...(writes && status.startsWith('2') ? WRITTEN : {}),
});

/** The same answers with their headers. */
export const withHeaders = (responses: Operation['responses'], writes: boolean): Operation['responses'] =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      response && !('$ref' in response)
        ? { ...response, headers: { ...headersOf(status, writes), ...response.headers } }
        : response,
    ]),
  );

/** What a write may be sent with, so that it happens once however often it is sent. */
export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  required: false,
  description: 'A repeated request with the same key and body returns the result of the first one',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]*$' },
};

/** What a read may be sent with, so that it includes an earlier write. */
export const MIN_POSITION = {
  name: 'X-Min-Position',
  in: 'header' as const,
  required: false,
  description: 'An X-Log-Position: waits up to 2 s until it is included',
  schema: { type: 'string' },
};

/** What a change may be sent with, so that it is made only to what its sender has seen. */
export const IF_MATCH = {
  name: 'If-Match',
  in: 'header' as const,
  required: false,
  description: 'The `revision` of the record; with another current revision the request is refused with 409',
  schema: { type: 'string', pattern: '^(\\d{1,9}|"\\d{1,9}")$' },
};

export const CORRELATION_ID = {
  name: 'X-Correlation-ID',
  in: 'header' as const,
  required: false,
  description: 'Recorded with every event of this request, to find those of several requests together',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
};
