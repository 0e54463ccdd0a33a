import fc from 'fast-check';

const plausible = fc.constantFrom<unknown>(
  ...['screen_view', 'page_exit', 'outgoing_link', 'custom', 'site_1', 'top_pages', 'summary_metrics', 'last_7d'],
  ...['2026-01-01', '2026-02-30', 'daily', 'hourly', 'Europe/Berlin', 'UTC', 'https://example.com/a', 'read:data'],
  ...['eq', 'contains', 'country', 'path', '/a', 'a@b.org', 'example.com', '', ' ', '\u0000', '\ud800', '__proto__'],
  ...[null, true, 0, -1, 1e308, -0.5, Number.MAX_SAFE_INTEGER, 1_700_000_000_000, 'x'.repeat(3_000)],
);

/** The content type of bodies, mostly right. */
export const contentType = fc.constantFrom(
  ...['application/json', 'application/json', 'application/json', 'text/plain', 'application/xml'],
  ...['application/json; charset=latin1', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense'],
);

/** Anything JSON can say, in objects above all with these names. */
export function malformedValue(names: readonly string[]): fc.Arbitrary<unknown> {
  return fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, plausible, fc.string({ unit: 'binary' }), fc.double(), tie('object')),
    object: fc.oneof(
      { depthSize: 'small' },
      fc.array(tie('value'), { maxLength: 5 }),
      fc
        .uniqueArray(fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string()), tie('value')), { maxLength: 8 })
        .map((entries) => entries.reduce<object>((all, [name, each]) => withOwn(all, name, each), {})),
    ),
  })).value;
}

/** Bodies that nobody expects: half-right objects above all, then any JSON, JSON that was cut off, and any bytes. */
export function malformedBody(names: readonly string[]): fc.Arbitrary<string | Buffer> {
  const json = malformedValue(names).map((each) => JSON.stringify(each));
  return fc.oneof(
    { weight: 6, arbitrary: json },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.tuple(json, fc.nat(100)).map(([text, at]) => text.slice(0, at)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }).map((depth) => '['.repeat(depth)) },
  );
}

/** Returns an object with a value of its own, also where the name is `__proto__`. */
const withOwn = (all: object, name: string, value: unknown): object =>
  Object.defineProperty(all, name, { value, enumerable: true, configurable: true, writable: true });

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Never a failure of ours; a refusal is JSON, says what it is, and names the fields it is about. */
export function checkAnswer({ status, text }: Answer, sent: string | Buffer): void {
  const seen = `${status} ${text} for ${sent.toString().slice(0, 500)}`;
  if (status >= 500) throw new Error(seen);
  if (status < 400) return;
  const body = JSON.parse(text) as Record<string, unknown>;
  const isError = body.success === false && [body.error, body.code, body.requestId].every(isText);
  const fields = (body.errors ?? body.details ?? []) as Record<string, unknown>[];
  if (!isError || !fields.every((each) => isDetail(body.code, each))) throw new Error(seen);
}

/** A wrong field, or what the credential lacks. */
export const isDetail = (code: unknown, { field, message, needs }: Record<string, unknown>): boolean =>
  code === 'FORBIDDEN' && needs !== undefined ? isText(needs) : typeof field === 'string' && isText(message);

export const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
