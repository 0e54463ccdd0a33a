import { forbiddenValue, parseJson, withExactIntegers } from './json-body';

const nested = (levels: number) => JSON.parse(`${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`) as unknown;

describe('a JSON body', () => {
  it('may begin with a byte order mark', () => expect(parseJson('\ufeff{"a":1}')).toEqual({ a: 1 }));

  it.each(['', '{', 'NaN', "{'a':1}"])('is refused where it is none: %j', (text) =>
    expect(() => parseJson(text)).toThrow('The body must be JSON'),
  );

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
