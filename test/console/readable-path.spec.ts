import { readablePath } from '../../apps/console/src/addresses/readable-address';

const encoded = (text: string) => text.split('/').map(encodeURIComponent).join('/');

describe('a path in the console', () => {
  it.each([
    '/größe/straße',
    '/日本語/页面',
    '/новости/сегодня',
    '/ειδήσεις',
    '/café-☕',
    '/مرحبا',
    '/C/новости',
    '/plain',
  ])('is read as %s', (path) => expect(readablePath(encoded(path))).toBe(path));

  it.each([
    ['marks of direction', '/invoice\u202Efdp.exe'],
    ['what is not seen', '/a\u200Bb\u00A0c\u2028'],
    ['Cyrillic letters among Latin ones', '/p\u0430ypal'],
    ['Greek letters among Latin ones', '/l\u03BFgin'],
    ['full-width letters', '/\uFF41dmin'],
    ['slashes that are none', '/a\u2215b'],
  ])('keeps %s encoded', (_, path) => expect(readablePath(encoded(path))).toBe(encoded(path)));

  it.each(['/a%20b', '/50%25', '/a%2Fb', '/%E4', '/%zz', '/%C3'])('keeps %s as it is', (path) =>
    expect(readablePath(path)).toBe(path),
  );
});
