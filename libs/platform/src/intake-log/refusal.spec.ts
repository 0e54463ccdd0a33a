import { isAnswered, isMissingTable } from './refusal';

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
});
