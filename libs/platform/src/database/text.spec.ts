import { jsonText } from './text';

describe('JSON for Postgres', () => {
  it('is as it was', () => {
    const value = { a: ['ü 🌍 \\u0000', null, 1.5, true], b: { c: 'x' } };
    expect(JSON.parse(jsonText(value))).toEqual(value);
  });

  it('loses NUL characters and halves of surrogate pairs, in names too', () => {
    expect(JSON.parse(jsonText({ 'a\u0000b': ['x\u0000', { 'y\ud800': '\udc00z' }] }))).toEqual({
      ab: ['x', { 'y\ufffd': '\ufffdz' }],
    });
  });
});
