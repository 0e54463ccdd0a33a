import fc from 'fast-check';
import { randomEventId } from '@ledgerline/contracts/events/event-id';
import { namesClick, takeClick, withClick } from './click-id';

const click = { id: '01K9ZZZZZZZZZZZZZZZZZZZZZZ', linkId: 'link_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' };
const NAMED = `ll_click=${click.id}-01KAJ4Q7ZJ8M3V5T9X2C6D0B1E`;

describe('the click in an address', () => {
  it.each([
    ['https://a.org/', `https://a.org/?${NAMED}`],
    ['https://a.org/?', `https://a.org/?${NAMED}`],
    ['https://a.org/?q=a%20b&flag&n=%E4#top?x=1', `https://a.org/?q=a%20b&flag&n=%E4&${NAMED}#top?x=1`],
    ['https://a.org/?ll_click=old&q=1', `https://a.org/?q=1&${NAMED}`],
    ['https://a.org/?q=1&ll%5fclick=old', `https://a.org/?q=1&${NAMED}`],
    ['https://a.org/?ll_click#?ll_click=kept', `https://a.org/?${NAMED}#?ll_click=kept`],
  ])('%s ends with it before what follows #, and names no other', (address, named) =>
    expect(withClick(address, click)).toBe(named),
  );

  it.each([
    ['https://a.org/a?x=1', 'https://a.org/a?x=1', undefined],
    ['/a?x=ll_click&xll_click=1&ll_clicks=2#', '/a?x=ll_click&xll_click=1&ll_clicks=2#', undefined],
    ['/a#?ll_click=1', '/a#?ll_click=1', undefined],
    [`?${NAMED}`, '', click],
    [`/a?${NAMED}&&b=%zz&`, '/a?&b=%zz&', click],
    [`/a?x&ll%5Fclick=${NAMED.slice(9)}#top`, '/a?x#top', click],
    [`/a?${NAMED}&ll_click=later`, '/a', click],
    [`/a?ll_click=${click.id}-1&${NAMED} `, '/a', click],
  ])('of %s is taken out', (address, rest, found) =>
    expect(takeClick(address)).toEqual(found ? { address: rest, click: found } : { address: rest }),
  );

  it.each([
    '',
    'x',
    click.id,
    `${click.id}-`,
    `${click.id.toLowerCase()}-1`,
    `8${click.id.slice(1)}-1`,
    `${click.id}-link-1`,
    `${click.id}-${'1'.repeat(65)}`,
    `${click.id}-1%20`,
    `${click.id}0-1`,
  ])('is none where its value is "%s", which is taken out too', (value) =>
    expect(takeClick(`/a?ll_click=${value}&b=1`)).toEqual({ address: '/a?b=1', click: undefined }),
  );

  it('of an address without one is what was added, and taking it out leaves the address', () => {
    const part = fc.stringMatching(/^[\w%=+.~-]{0,12}$/).filter((text) => !namesClick(text));
    const query = fc.array(part, { maxLength: 4 }).map((parts) => parts.join('&'));
    const address = fc
      .tuple(fc.constantFrom('https://a.org', 'https://a.org/b/', '/b', ''), query, fc.constantFrom('', '#', '#/c?d&e'))
      .map(([page, text, hash]) => `${page}${text === '' ? '' : `?${text}`}${hash}`);
    const clicks = fc
      .tuple(fc.nat(2 ** 40), fc.stringMatching(/^\w{1,64}$/))
      .map(([at, link]) => ({ id: randomEventId(at), linkId: `link_${link}` }));
    fc.assert(
      fc.property(address, clicks, clicks, (given, added, other) => {
        expect(takeClick(withClick(given, added))).toEqual({ address: given, click: added });
        expect(withClick(withClick(given, other), added)).toBe(withClick(given, added));
      }),
      { numRuns: 300 },
    );
  });
});
