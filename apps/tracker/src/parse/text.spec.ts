import { cleanId, cleanLines, cleanText, withoutControls } from './text';

describe('clean text', () => {
  it('is trimmed, and null when nothing is left', () => {
    expect(cleanText('  a b ', 10)).toBe('a b');
    expect(cleanText(' \u0000 ', 10)).toBeNull();
    expect(cleanText(undefined, 10)).toBeNull();
    expect(cleanText(7, 10)).toBeNull();
  });

  it('has no control characters and no lone surrogates, but whole characters', () =>
    expect(cleanText('a\u0000b\u001fc\ud800d\udc00e\u{1f600}\u0085', 50)).toBe('abcde\u{1f600}'));

  it('is cut, never through a character', () => {
    expect(cleanText('abcdef', 3)).toBe('abc');
    expect(cleanText('ab\u{1f600}', 3)).toBe('ab');
    expect(cleanText('ab\u{1f600}', 4)).toBe('ab\u{1f600}');
  });

  it('is in NFC, but for ids', () => {
    expect([cleanText('u\u0308ber', 4), cleanLines('u\u0308\n', 9), withoutControls('u\u0308')]).toEqual([
      'über',
      'ü',
      'ü',
    ]);
    expect(cleanId(' u\u0308\u0000 ', 9)).toBe('u\u0308');
  });

  it('of several lines keeps line feeds and tabs', () => {
    expect(cleanLines('at a\r\n\tat b\u0000', 50)).toBe('at a\n\tat b');
    expect(withoutControls('x\u0007\ny')).toBe('x\ny');
  });
});
