import { ApiError } from '@ledgerline/client';
import { fieldMessage, messageOf, wholeMessage } from '../../apps/console/src/api/failure';

interface Answer {
  readonly error?: string;
  readonly code?: string;
  readonly details?: readonly object[];
  readonly status: number;
  readonly retryAfter?: number;
}

const refusal = ({ status, retryAfter, ...problem }: Answer) =>
  new ApiError(
    { requestId: 'req_1', ...problem },
    new Response(null, { status, headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) } }),
  );

describe('a failure in the console', () => {
  const limited = { error: 'Too many requests', code: 'RATE_LIMITED', status: 429 };
  const away = { error: 'The service is not available right now', code: 'SERVICE_UNAVAILABLE', status: 503 };

  it.each([
    [{ ...limited, retryAfter: 40 }, 'Too many requests; try again in 40 seconds.'],
    [{ ...limited, retryAfter: 600 }, 'Too many requests; try again in 10 minutes.'],
    [limited, 'Too many requests; try again in a moment.'],
    [{ ...away, retryAfter: 1 }, 'The service is not available right now; try again in a moment.'],
    [{ status: 502 }, 'Something before the api answered 502; try again in a moment.'],
    [
      { error: 'Insufficient permissions', code: 'FORBIDDEN', details: [{ needs: 'admin' }], status: 403 },
      'This needs “admin” of the organization.',
    ],
    [
      { error: 'Website not found', code: 'NOT_FOUND', status: 404 },
      'Website not found; somebody may have deleted it.',
    ],
    [{ error: 'This slug is taken', code: 'CONFLICT', status: 409 }, 'This slug is taken.'],
    [{ error: 'Authentication required', code: 'AUTH_REQUIRED', status: 401 }, 'You are signed out; sign in again.'],
    [
      { error: 'Something went wrong on our side', code: 'INTERNAL', status: 500 },
      'Something went wrong on our side; the log of the api says what, at the request req_1.',
    ],
    [
      { error: 'The request is not valid', code: 'VALIDATION_ERROR', details: [WRONG()], status: 400 },
      'name must not be empty.',
    ],
  ])('has a sentence: %j', (answer, sentence) => expect(messageOf(refusal(answer))).toBe(sentence));

  it('has one also without an answer', () =>
    expect(messageOf(new TypeError('Failed to fetch'))).toBe(
      'The api did not answer. Is it running, and are you online?',
    ));
});

describe('what is wrong with a field', () => {
  const error = refusal({
    error: 'The request is not valid',
    code: 'VALIDATION_ERROR',
    details: [
      WRONG(),
      { field: 'tags[1]', message: 'Must not be empty.' },
      { field: 'rules[0].and[1].values', message: 'values must hold one number.' },
    ],
    status: 400,
  });

  it.each([
    ['name', 'Must not be empty.', 'Must not be empty.'],
    ['tags', 'Entry 2: Must not be empty.', undefined],
    ['rules[0].and[1].values', 'Must hold one number.', 'Must hold one number.'],
    ['rules[0]', 'Must hold one number.', undefined],
    ['rule', undefined, undefined],
    ['nam', undefined, undefined],
  ])('is said at it: %s', (field, message, whole) => {
    expect(fieldMessage(error, field)).toBe(message);
    expect(wholeMessage(error, field)).toBe(whole);
  });
});

function WRONG() {
  return { field: 'name', message: 'name must not be empty.' };
}
