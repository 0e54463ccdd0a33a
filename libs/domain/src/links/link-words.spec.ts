import fc from 'fast-check';
import { indexWords, linkWords, wordQuery } from './link-words';
import { plainLink } from './link.decider';

describe('the words of a link', () => {
  it('are those of its name, slug and destination, each once and in lower case', () => {
    const link = {
      ...plainLink,
      organizationId: 'org_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
      slug: 'Spring-26',
      name: 'Spring SALE',
      targetUrl: 'https://example.com/spring?a=1',
    };
    const expected = ['spring', 'sale', '26', 'https', 'example', 'com', 'a', '1'];
    expect(linkWords(link)).toEqual(expected.map((word) => `0b1e${word}`));
  });

  it('are read from percent-encoded text, and from letters of any script', () => {
    expect(words('gr%C3%B6%C3%9Fe/100%25/%zz/%ff')).toEqual(['größe', '100', 'zz', 'ff']);
    expect(words('春の_セール ﬁn Cafe\u0301')).toEqual(['春の', 'セール', 'fin', 'café']);
    expect(words('%_- \u0000')).toEqual([]);
  });

  it('are limited in number and length', () => {
    expect(words(Array.from({ length: 200 }, (_, n) => `w${n}`).join(' '))).toHaveLength(100);
    expect(words('𐐷'.repeat(100))).toEqual(['𐐷'.repeat(64).toLowerCase()]);
  });

  it('begin with those of any beginning of a word', () => {
    const property = fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, length) => {
      const held = words(text);
      for (const word of held) {
        const beginning = words(
          Array.from(word)
            .slice(0, length + 1)
            .join(''),
        );
        expect(beginning.every((part) => held.some((each) => each.startsWith(part)))).toBe(true);
      }
    });
    fc.assert(property, { seed: 83, numRuns: 300 });
  });
});

describe('a search for words', () => {
  it.each([
    ['Spring sa', `'rg_1spring' & 'rg_1sa':*`],
    ['sale', `'rg_1sale':*`],
    ['sale 2', `'rg_1sale' & 'rg_12'`],
    [`it's \\ | !`, `'rg_1it' & 'rg_1s'`],
    ['%', ''],
  ])('wants those of "%s"', (text, query) => expect(wordQuery('org_1', text)).toBe(query));
});

const words = (text: string) => indexWords('org_1', text).map((word) => word.slice('rg_1'.length));
