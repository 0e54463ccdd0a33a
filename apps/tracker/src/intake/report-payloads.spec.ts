import { reasonOf } from '@test/tracker/reason-of';
import { readVital, readError, readEngagementSpan } from './payloads';

const LCP = { path: 'https://example.com/a/?x=1', metricName: 'LCP', metricValue: 1834.5 };

it('a message that is nested without end is unknown', () => {
  const message = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as unknown;
  expect(readError({ path: 'https://example.com/', message }).facts.data).toMatchObject({
    message: 'Error without a message',
  });
});

describe('a vital', () => {
  it('is a metric of a page', () =>
    expect(readVital({ ...LCP, timestamp: 5, eventId: 'e1', anonymousId: 'a', sessionId: 's', more: 1 })).toEqual({
      kind: 'vital',
      clientEventId: 'e1',
      revision: 0,
      at: 5,
      websiteId: null,
      anonymousId: 'a',
      profileId: null,
      sessionId: 's',
      recognisable: false,
      facts: { type: 'VitalMeasured', data: { host: 'example.com', path: '/a', metric: 'LCP', value: 1834.5 } },
    }));

  it.each(['LCP', 'FCP', 'CLS', 'INP', 'TTFB', 'FPS'])('may be %s', (metricName) =>
    expect(readVital({ ...LCP, metricName }).facts.data).toMatchObject({ metric: metricName }),
  );

  it('is clamped to what is possible', () =>
    expect(readVital({ ...LCP, metricValue: 1e300 }).facts.data).toMatchObject({ value: 86_400_000 }));

  it.each([
    [{}, 'path is missing; metricName is missing; metricValue is missing'],
    [{ ...LCP, metricName: 'FID' }, 'metricName must be one of LCP FCP CLS INP TTFB FPS'],
    [{ ...LCP, metricName: null }, 'metricName must be one of LCP FCP CLS INP TTFB FPS'],
    [{ ...LCP, metricValue: '1' }, 'metricValue must be number'],
    [{ ...LCP, metricValue: null }, 'metricValue must be number'],
    [{ ...LCP, metricValue: Infinity }, 'metricValue must be number'],
    [{ ...LCP, metricValue: -1 }, 'metricValue must be >= 0'],
    [{ ...LCP, revision: 1 }, 'revision needs an eventId'],
    [{ ...LCP, eventId: 'e1', revision: -1 }, 'revision must be >= 0'],
    [{ ...LCP, eventId: 'e1', revision: 2 ** 32 }, 'revision must be <= 4294967295'],
    [{ ...LCP, eventId: 'e1', revision: 0.5 }, 'revision must be integer'],
    [{ ...LCP, path: 'about:blank' }, 'path must be an http(s) URL or a pathname'],
    ['text', 'item must be object'],
  ])('is refused: %j', (item, reason) => expect(reasonOf(() => readVital(item))).toBe(reason));
});

const FAILED = { path: '/a', message: 'x is not a function' };
const UNKNOWN = { host: null, stack: null, filename: null, line: null, column: null, errorType: null };

describe('an error of a page', () => {
  it('has a message, and where and what it was as far as known', () => {
    const { kind, facts } = readError({
      ...FAILED,
      path: 'https://example.com/a?b',
      filename: 'https://example.com/app.js',
      lineno: 12,
      colno: 7.4,
      stack: 'TypeError: x\u0000\n\tat f (app.js:12)',
      errorType: ' TypeError ',
    });
    expect(kind).toBe('error');
    expect(facts).toEqual({
      type: 'ErrorRecorded',
      data: {
        host: 'example.com',
        path: '/a',
        message: 'x is not a function',
        stack: 'TypeError: x\n\tat f (app.js:12)',
        filename: 'https://example.com/app.js',
        line: 12,
        column: 7,
        errorType: 'TypeError',
      },
    });
  });

  it('needs no more than page and message, and takes null for absent', () =>
    expect(readError({ ...FAILED, stack: null, lineno: -1 }).facts.data).toEqual({ ...FAILED, ...UNKNOWN }));

  it('is cut to what is kept', () => {
    const long = 'x'.repeat(10_000);
    const { data } = readError({ path: '/', message: long, stack: long, filename: long, errorType: long }).facts;
    const lengths = Object.entries(data).map(([name, value]) => [name, String(value).length]);
    expect(Object.fromEntries(lengths)).toMatchObject({ message: 2048, stack: 8192, filename: 2048, errorType: 256 });
  });

  it('counts its stack in bytes, and never cuts a character', () => {
    const { stack } = readError({ ...FAILED, stack: 'a' + '😀'.repeat(3000) }).facts.data as { stack: string };
    expect(stack).toBe('a' + '😀'.repeat(2047));
  });

  it.each([
    [{ message: { code: 42 } }, { message: '{"code":42}' }],
    [
      { message: 7, errorType: {} },
      { message: '7', errorType: '{}' },
    ],
    [
      { message: ' \u0000', errorType: 'TypeError' },
      { message: 'TypeError', errorType: 'TypeError' },
    ],
    [{ message: undefined }, { message: 'Error without a message' }],
    [{ lineno: '12', colno: ' ' }, { line: 12 }],
    [{ lineno: 'twelve', colno: [] }, {}],
    [{ lineno: 1e300, colno: true }, { line: 2 ** 31 - 1 }],
    [
      { stack: ['f'], filename: false },
      { stack: '["f"]', filename: 'false' },
    ],
  ])('is recorded as far as it can be read: %j', (fields, read) =>
    expect(readError({ ...FAILED, ...fields }).facts.data).toEqual({ ...FAILED, ...UNKNOWN, ...read }),
  );

  it.each([
    [{}, 'path is missing'],
    [{ ...FAILED, path: 'javascript:1' }, 'path must be an http(s) URL or a pathname'],
    [null, 'item must be object'],
  ])('is refused: %j', (item, reason) => expect(reasonOf(() => readError(item))).toBe(reason));
});

const SPAN = {
  pageIndex: 2,
  exitType: 'navigation',
  activeTime: 20.5,
  timeToFirstInteraction: 850,
  maxScrollDepth: 75,
  scrollCount: 9,
  clickCount: 3,
  keyCount: 14,
  interactionCount: 26,
  copyCount: 1,
  rageClickCount: 1,
  deadClickCount: 2,
  rageClickTarget: 'button.buy',
  deadClickTarget: 'img',
  formFieldCount: 4,
  formSubmitCount: 0,
  lastFormField: 'email',
  errorCount: 0,
};

describe('an engagement span', () => {
  it('has the time on the page, and all else by the names of the wire', () => {
    const { kind, facts } = readEngagementSpan({
      path: 'https://example.com/a/?b',
      timeOnPage: 31.2,
      ...SPAN,
      unknown: 1,
    });
    expect(kind).toBe('engagement');
    expect(facts).toEqual({
      type: 'EngagementMeasured',
      data: { host: 'example.com', path: '/a', timeOnPage: 31.2, span: SPAN },
    });
  });

  it('needs nothing but its page, and keeps only what is known', () =>
    expect(readEngagementSpan({ path: '/a', clickCount: null, keyCount: -1, exitType: ' ' }).facts.data).toEqual({
      host: null,
      path: '/a',
      timeOnPage: null,
      span: {},
    }));

  it('is clamped to what is possible, and counts in whole numbers', () =>
    expect(
      readEngagementSpan({ path: '/', timeOnPage: 1e9, activeTime: 1e9, maxScrollDepth: 180, clickCount: 1.6 }).facts
        .data,
    ).toEqual({
      host: null,
      path: '/',
      timeOnPage: 86_400,
      span: { activeTime: 86_400, maxScrollDepth: 100, clickCount: 2 },
    }));

  it('has texts cut to what is kept', () => {
    const long = 'x'.repeat(3000);
    const { span } = readEngagementSpan({ path: '/', rageClickTarget: long, lastFormField: long }).facts.data as {
      span: Record<string, string>;
    };
    expect([span.rageClickTarget?.length, span.lastFormField?.length]).toEqual([2048, 256]);
  });

  it.each([
    [{}, 'path is missing'],
    [{ path: '/', timeOnPage: '12' }, 'timeOnPage must be number'],
    [{ path: '/', clickCount: true, activeTime: {} }, 'activeTime must be number; clickCount must be number'],
    [{ path: '/', rageClickTarget: 5 }, 'rageClickTarget must be string'],
    [{ path: 'mailto:a@b.c' }, 'path must be an http(s) URL or a pathname'],
    [[], 'item must be object'],
  ])('is refused: %j', (item, reason) => expect(reasonOf(() => readEngagementSpan(item))).toBe(reason));
});
