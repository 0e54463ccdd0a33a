import { reasonOf } from '@test/tracker/reason-of';
import { readError } from './error.payload';

const FAILED = { path: '/a', message: 'x is not a function' };
const UNKNOWN = { stack: null, filename: null, line: null, column: null, errorType: null };

describe('an error of a page', () => {
  it('has a message, and where and what it was as far as known', () => {
    const { kind, facts } = readError({
      ...FAILED,
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
