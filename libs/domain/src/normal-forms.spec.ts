import fc from 'fast-check';
import { normalHost } from '@ledgerline/contracts/parse-url';
import { normalEncoding, normalLanguage, normalText } from './normal-forms';

describe('percent-encodings', () => {
  it.each([
    ['/a%5fb%7E%2D', '/a_b~-'],
    ['/gr%c3%b6%C3%9Fe', '/gr%C3%B6%C3%9Fe'],
    ['/größe', '/gr%C3%B6%C3%9Fe'],
    ['/a b"{c}^`', '/a%20b%22%7Bc%7D%5E%60'],
    ['/a%2fb%3F%25', '/a%2Fb%3F%25'],
    ["/it's/[id]/a|b;c=1,2", "/it's/[id]/a|b;c=1,2"],
    ['/100%/%zz/%4', '/100%/%zz/%4'],
    ['/%zz%5f', '/%zz_'],
    ['/%e4%ff', '/%E4%FF'],
    ['q=%41+%20&r=%3d', 'q=A+%20&r=%3D'],
    ['%%34%31 %4%31', '%%341%20%4%31'],
    ['\ud800', '%EF%BF%BD'],
  ])('of %s are those of %s', (text, normal) => expect(normalEncoding(text)).toBe(normal));

  it('do not change again', () => {
    const pieces = fc.array(fc.constantFrom('%', '%2', '4', '31', 'c', '%c3', '%5f', 'ö', '/', '%25'), {
      maxLength: 9,
    });
    fc.assert(
      fc.property(pieces, (all) => {
        const once = normalEncoding(all.join(''));
        expect(normalEncoding(once)).toBe(once);
      }),
    );
  });
});

describe('a language', () => {
  it.each([
    ['en-us', 'en-US'],
    ['en_US', 'en-US'],
    ['EN', 'en'],
    ['zh_hans_cn', 'zh-Hans-CN'],
    ['SR-latn-rs', 'sr-Latn-RS'],
    ['es-419', 'es-419'],
    ['de-de-1996', 'de-DE-1996'],
    ['en-US-U-CA-gregory', 'en-US-u-ca-gregory'],
    ['x-AB-cdef', 'x-ab-cdef'],
    ['pt_BR.UTF-8', 'pt-BR'],
    ['ca@valencia', 'ca'],
    ['iw_IL', 'he-IL'],
    ['no', 'nb'],
    ['no-NO', 'nb-NO'],
    ['nn-NO', 'nn-NO'],
    ['TL-ph', 'fil-PH'],
    ['in', 'id'],
    ['en-in', 'en-IN'],
    ['', ''],
  ])('%s is %s', (tag, normal) => expect(normalLanguage(tag)).toBe(normal));
});

it.each([
  ['Example.COM.', 'example.com'],
  ['example.com', 'example.com'],
  ['192.0.2.1', '192.0.2.1'],
  ['.', ''],
])('the host %s is %s', (host, normal) => expect(normalHost(host)).toBe(normal));

it('text is composed where it can be, and otherwise as it is', () => {
  expect(normalText('u\u0308ber')).toBe('über');
  expect(normalText('\u1112\u1161\u11ab')).toBe('한');
  for (const text of ['naïve', 'ﬁ', '😀', '']) expect(normalText(text)).toBe(text);
});

it('a text in normal form has at most thirty marks on a sign, in a body full of them too', () => {
  const marks = '\u0301\u0316';
  expect(normalText(`a${marks.repeat(15)}`)).toBe(`a${marks.repeat(15)}`.normalize('NFC'));
  expect(normalText(`xa${marks.repeat(500_000)}b`)).toBe(`xa${marks.repeat(15)}b`.normalize('NFC'));
});
