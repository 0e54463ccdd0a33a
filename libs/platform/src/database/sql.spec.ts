import { emptySql, identifier, joinSql, sql } from './sql';

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
