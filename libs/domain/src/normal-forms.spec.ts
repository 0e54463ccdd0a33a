import fc from 'fast-check';
import { normalEncoding } from './normal-forms';

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
