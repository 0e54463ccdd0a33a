import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import { LogUnavailable } from '../log/log-reader';
import { isUnavailable, orUnavailable } from './unavailable';

describe('an error of Postgres', () => {
  it.each<[string, Error]>([
    ['a server that shuts down', answered('57P01')],
    ['a deadlock', answered('40P01')],
    ['a connection that broke', new Error('Connection terminated unexpectedly')],
    ['nobody who listens', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
  ])('passes by itself when it comes from %s, also inside an error of TypeORM', (_, error) => {
    expect(isUnavailable(error)).toBe(true);
    expect(isUnavailable(new QueryFailedError('select 1', [], error))).toBe(true);
  });

  it.each<[string, Error]>([
    ['a unique key', answered('23505')],
    ['a mistake of ours', new TypeError('undefined is not a function')],
  ])('stays when it comes from %s', (_, error) => {
    expect(isUnavailable(error)).toBe(false);
    expect(isUnavailable(new QueryFailedError('select 1', [], error))).toBe(false);
  });

  it('becomes LogUnavailable only where it passes', async () => {
    const refusal = answered('23505');
    await expect(orUnavailable('It', () => Promise.reject(answered('57P01')))).rejects.toBeInstanceOf(LogUnavailable);
    await expect(orUnavailable('It', () => Promise.reject(refusal))).rejects.toBe(refusal);
  });
});

function answered(code: string): DatabaseError {
  return Object.assign(new DatabaseError('refused', 0, 'error'), { code });
}
