import { setImmediate } from 'node:timers/promises';
import { MAX_PARTS, forbiddenValue, parseInTurn, parseJson, withExactIntegers } from './json-body';

const nested = (levels: number) => JSON.parse(`${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`) as unknown;

describe('a JSON body', () => {
  it('may begin with a byte order mark', () => expect(parseJson('\ufeff{"a":1}')).toEqual({ a: 1 }));

  it.each(['', '{', 'NaN', "{'a':1}"])('is refused where it is none: %j', (text) =>
    expect(() => parseJson(text)).toThrow('The body must be JSON'),
  );

  it.each(['{}', '[]', '{"a":1}'])('is not parsed where it has too many parts: %s', (item) => {
    const count = MAX_PARTS / (item.length > 2 ? 2 : 1);
    const parse = jest.spyOn(JSON, 'parse');
    expect(() => parseJson(`[${Array.from({ length: count }, () => item).join()}]`)).toThrow('at most 20,000 objects');
    expect(parse).not.toHaveBeenCalled();
    expect(parseJson(`[${Array.from({ length: count - 1 }, () => item).join()}]`)).toHaveLength(count - 1);
    parse.mockRestore();
  });

  it.each([100, 100_000])('is handed on in a turn of its own where it is large: %i', async (length) => {
    const read: unknown[] = [];
    parseInTurn(
      length,
      () => 'body',
      (_, body) => read.push(body),
    );
    expect(read).toEqual(length > 1_000 ? [] : ['body']);
    await setImmediate();
    expect(read).toEqual(['body']);
  });

  it('may have as many signs of them in its texts', () =>
    expect(parseJson(JSON.stringify([`\\"${'{[:'.repeat(MAX_PARTS)}`, '\\']))).toHaveLength(2));

  it.each([
    ['{"a":9007199254740993}', '{"a":"9007199254740993"}'],
    ['[-12345678901234567890 , 9007199254740991]', '["-12345678901234567890" , 9007199254740991]'],
    ['{"12345678901234567":"\\"12345678901234567"}', '{"12345678901234567":"\\"12345678901234567"}'],
    ['[0.12345678901234567,1e20,12345678901234567e1]', '[0.12345678901234567,1e20,12345678901234567e1]'],
  ])('has integers beyond 2^53 as texts: %s', (json, exact) => {
    expect(withExactIntegers(json)).toBe(exact);
    expect(() => parseJson(exact)).not.toThrow();
  });

  it('has them in texts as long as a body may be', () => {
    const text = JSON.stringify(`\\"1234567890123456`.repeat(60_000));
    expect(withExactIntegers(`[${text},${'9'.repeat(100_000)}]`)).toBe(`[${text},"${'9'.repeat(100_000)}"]`);
  });

  it('is read once where a text in it has no end', () => {
    const text = `1234567890123456"${'\\\\"'.repeat(1_000_000)}\\\\`;
    expect(withExactIntegers(text)).toBe(text);
  });

  it('may be nested a hundred levels deep', () => {
    expect(forbiddenValue(nested(100))).toBeUndefined();
    expect(forbiddenValue({ b: [nested(100)] })?.field).toBe('b');
    expect(forbiddenValue([nested(100)])?.field).toBe('[0].a');
    expect(forbiddenValue(nested(200_000))?.message).toContain('nested');
  });

  it.each([
    ['{"a":[1,{"b":1e999}]}', 'a[1].b'],
    ['[0,-1e400]', '[1]'],
    ['{"a":{"__proto__":{"x":1}}}', 'a.__proto__'],
    ['{"constructor":{"prototype":{}}}', 'constructor'],
    ['{"a":[{"b":"x\\u0000"}]}', 'a[0].b'],
    ['["\\ud83d\\ude00","\\ud83d"]', '[1]'],
    ['{"a":{"b\\udc00":1}}', 'a.b\ufffd'],
  ])('names the value that it may not hold: %s', (text, field) =>
    expect(forbiddenValue(parseJson(text))?.field).toBe(field),
  );

  it('may have a field that is called as something of every object', () =>
    expect(forbiddenValue(parseJson('{"constructor":"x","toString":1,"valueOf":{}}'))).toBeUndefined());
});
