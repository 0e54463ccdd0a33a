import { emptySql, identifier, joinSql, jsonText, sql } from './sql';

describe('the sql tag', () => {
  it('binds values and never writes them into the text', () => {
    const query = sql`select * from t where a = ${"x' or 1=1"} and b = ${2}`;
    expect(query.text).toBe('select * from t where a = $1 and b = $2');
    expect(query.values).toEqual(["x' or 1=1", 2]);
  });

  it('numbers the values of spliced fragments in order', () => {
    const where = joinSql([sql`a = ${1}`, sql`b = ${2}`], ' and ');
    const query = sql`select ${0} from ${identifier('s', 'my"t')} where ${where} ${emptySql} limit ${3}`;
    expect(query.text).toBe('select $1 from "s"."my""t" where a = $2 and b = $3  limit $4');
    expect(query.values).toEqual([0, 1, 2, 3]);
  });
});

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
