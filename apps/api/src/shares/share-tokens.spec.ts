import { isSharePass, sharePass, shareOfToken, shareToken } from './share-tokens';

const PEPPER = 'a pepper for tests that is long enough';
const ID = 'share_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E';
const HOUR = 3_600_000;

describe('the token of a share', () => {
  it('leads to its share, and always is the same', () => {
    expect(shareToken(ID, PEPPER)).toMatch(/^01KAJ4Q7ZJ8M3V5T9X2C6D0B1E[\w-]{30}$/);
    expect(shareOfToken(shareToken(ID, PEPPER), PEPPER)).toBe(ID);
  });

  it.each([
    ['of another share', shareToken(ID, PEPPER).replace('01KAJ', '01KAK')],
    ['of another installation', shareToken(ID, `${PEPPER}!`)],
    ['with another end', shareToken(ID, PEPPER).replace(/.$/, '~')],
    ['cut off', shareToken(ID, PEPPER).slice(0, -1)],
    ['an id', ID],
    ['empty', ''],
  ])('is none when it is %s', (_, token) => expect(shareOfToken(token, PEPPER)).toBeUndefined());
});

describe('what shows that a password was given', () => {
  const now = Date.parse('2026-03-02T10:00:00Z');
  const pass = sharePass(ID, 'hash', now / 1_000 + 3_600, PEPPER);

  it('counts until its time, for this share and this password', () => {
    expect(isSharePass(pass, ID, 'hash', now, PEPPER)).toBe(true);
    expect(isSharePass(pass, ID, 'hash', now + HOUR, PEPPER)).toBe(false);
    expect(isSharePass(pass, ID, 'another hash', now, PEPPER)).toBe(false);
    expect(isSharePass(pass, 'share_2', 'hash', now, PEPPER)).toBe(false);
  });

  it('cannot be prolonged', () => {
    const [until = '', signature] = pass.split('.');
    expect(isSharePass(`${Number(until) + 1}.${signature}`, ID, 'hash', now, PEPPER)).toBe(false);
    for (const text of ['', '.', 'x.y', '99999999999.']) expect(isSharePass(text, ID, 'hash', now, PEPPER)).toBe(false);
  });
});
