import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import { LogUnavailable } from '../log/log-reader';
import {
  isBadData,
  isDueToData,
  isMissingFunction,
  isMissingTable,
  isServerError,
  isUnavailable,
  orUnavailable,
} from './database-errors';

describe('an error of Postgres', () => {
  it.each<[string, Error]>([
    ...['08006', '25006', '25P03', '53300', '55P03', '57P01', '57014', '58030'].map((code): [string, Error] => [
      `SQLSTATE ${code}`,
      answered(code),
    ]),
    ['a deadlock', answered('40P01')],
    ['a connection that broke', new Error('Connection terminated unexpectedly')],
    ['a server that hangs', new Error('Query read timeout')],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].map((code): [string, Error] => [code, socket(code)]),
    ['a socket file that is gone', Object.assign(socket('ENOENT'), { syscall: 'connect' })],
    ['nobody at any address', new AggregateError([socket('EINVAL'), socket('ECONNREFUSED')])],
  ])('passes by itself when it comes from %s, also inside an error of TypeORM or as a cause', (_, error) => {
    expect(isUnavailable(error)).toBe(true);
    expect(isUnavailable(new QueryFailedError('select 1', [], error))).toBe(true);
    expect(isUnavailable(new Error('no salt', { cause: new QueryFailedError('select 1', [], error) }))).toBe(true);
  });

  it.each<[string, Error]>([
    ['a unique key', answered('23505')],
    ['a wrong statement', answered('42601')],
    ['a mistake of ours', new TypeError('undefined is not a function')],
    ['something of ours that is not right', new Error('no such thing')],
    ['a file that is not there', socket('ENOENT')],
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

it('an error that is its own cause ends', () => {
  const error = new Error('round');
  error.cause = error;
  expect(isUnavailable(error)).toBe(false);
});

function socket(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function answered(code: string): DatabaseError {
  return Object.assign(new DatabaseError('refused', 0, 'error'), { code });
}

const fromServer = (code: string) => Object.assign(new Error(code), { severity: 'ERROR', code });
const fromSocket = (code: string) => Object.assign(new Error(code), { code });

describe('a refusal', () => {
  it('comes from the server, not from a socket', () => {
    expect(isServerError(fromServer('22P05'))).toBe(true);
    for (const error of [fromSocket('EPIPE'), new Error('Connection terminated'), 'text'])
      expect(isServerError(error)).toBe(false);
  });

  it('may be about a table or a function that is not there', () => {
    expect(isMissingTable(fromServer('42P01'))).toBe(true);
    expect(isMissingTable(fromServer('42601'))).toBe(false);
    expect(isMissingFunction(fromServer('42883'))).toBe(true);
    expect(isMissingFunction(fromServer('42P01'))).toBe(false);
  });

  it('may be about what was sent, not about who sends, where to, or the server', () => {
    for (const code of ['22P02', '22021', '23514']) expect(isBadData(fromServer(code))).toBe(true);
    for (const code of ['28P01', '3D000', '42501', 'XX001', '53100']) expect(isBadData(fromServer(code))).toBe(false);
    expect(isBadData(fromSocket('22P02'))).toBe(false);
    for (const code of ['21000', '22P02', '23514', '54000', 'P0001']) expect(isDueToData(fromServer(code))).toBe(true);
    for (const code of ['28P01', '42P01', 'XX001', '57014']) expect(isDueToData(fromServer(code))).toBe(false);
  });
});
