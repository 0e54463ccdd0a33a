import { isAnswered, isBadData, isMissingTable } from './refusal';

const fromServer = (code: string) => Object.assign(new Error(code), { severity: 'ERROR', code });
const fromSocket = (code: string) => Object.assign(new Error(code), { code });

describe('a refusal', () => {
  it('comes from the server, not from a socket', () => {
    expect(isAnswered(fromServer('22P05'))).toBe(true);
    for (const error of [fromSocket('EPIPE'), new Error('Connection terminated'), 'text'])
      expect(isAnswered(error)).toBe(false);
  });

  it('may be about a table that is not there', () => {
    expect(isMissingTable(fromServer('42P01'))).toBe(true);
    expect(isMissingTable(fromServer('42601'))).toBe(false);
  });

  it('may be about what was sent, not about who sends, where to, or the server', () => {
    for (const code of ['22P02', '22021', '23514']) expect(isBadData(fromServer(code))).toBe(true);
    for (const code of ['28P01', '3D000', '42501', 'XX001', '53100']) expect(isBadData(fromServer(code))).toBe(false);
    expect(isBadData(fromSocket('22P02'))).toBe(false);
  });
});
