import { isMissingTable, isPassing } from './unavailability';

const fromServer = (code: string) => Object.assign(new Error(code), { severity: 'ERROR', code });
const fromSocket = (code: string) => Object.assign(new Error(code), { code });

describe('a server that is away', () => {
  it.each(['57P01', '08006', '53300', '40P01', '55P03', '25006'])('says so by %s', (code) =>
    expect(isPassing(fromServer(code))).toBe(true),
  );

  it.each(['ECONNREFUSED', 'EPIPE', 'ECONNRESET'])('breaks its sockets by %s', (code) =>
    expect(isPassing(fromSocket(code))).toBe(true),
  );

  it('is not blamed for mistakes', () => {
    for (const error of [fromServer('22P05'), fromServer('42601'), new TypeError('x'), new RangeError('x'), 'text'])
      expect(isPassing(error)).toBe(false);
    expect(isMissingTable(fromServer('42P01'))).toBe(true);
  });
});
