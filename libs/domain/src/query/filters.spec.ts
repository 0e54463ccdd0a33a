import type { FieldFilter } from '@ledgerline/contracts/definitions';
import { countryName, countryNames, criterion, globExpression, matchesGlob, passes } from './filters';

describe('a filter', () => {
  it.each<[FieldFilter['op'], string | string[], string, boolean]>([
    ['eq', '/a', '/a', true],
    ['eq', '/a', '/A', false],
    ['ne', '/a', '/b', true],
    ['ne', '/a', '/a', false],
    ['contains', 'log', '/blog/1', true],
    ['contains', 'Log', '/blog/1', false],
    ['not_contains', 'log', '/blog/1', false],
    ['starts_with', '/blog', '/blog/1', true],
    ['starts_with', 'blog', '/blog/1', false],
    ['in', ['/a', '/b'], '/b', true],
    ['not_in', ['/a', '/b'], '/b', false],
    ['not_in', ['/a', '/b'], '/c', true],
    ['glob', '/b*', '/blog', true],
    ['glob', '/b*', '/blog/1', false],
    ['glob', '/größe/**', '/gr%C3%B6%C3%9Fe/1', true],
  ])('%s %j of %j is %s', (op, value, text, expected) =>
    expect(keeps({ field: 'path', op, value }, text)).toBe(expected),
  );

  it.each<[FieldFilter['op'], string | string[], boolean]>([
    ['eq', '/größe/_a', true],
    ['eq', '/gr%c3%b6%c3%9fe/%5fa', true],
    ['ne', '/größe/_a', false],
    ['in', ['/x', '/größe/_a'], true],
    ['contains', 'öße', true],
    ['not_contains', '%c3%b6', false],
    ['starts_with', '/grö', true],
    ['eq', '/GRÖSSE/_a', false],
  ])('%s %j of an encoded path is %s', (op, value, expected) => {
    expect(keeps({ field: 'path', op, value }, '/gr%C3%B6%C3%9Fe/_a')).toBe(expected);
    expect(keeps({ field: 'query_string', op, value }, '/gr%C3%B6%C3%9Fe/_a')).toBe(expected);
  });

  it('finds time zones, languages and texts by all of their names', () => {
    expect(keeps({ field: 'timezone', op: 'eq', value: 'Asia/Calcutta' }, 'Asia/Kolkata')).toBe(true);
    expect(keeps({ field: 'timezone', op: 'not_in', value: ['Asia/Calcutta'] }, 'Asia/Kolkata')).toBe(false);
    expect(keeps({ field: 'language', op: 'in', value: ['en_us'] }, 'en-US')).toBe(true);
    expect(keeps({ field: 'language', op: 'starts_with', value: 'EN_' }, 'en-US')).toBe(true);
    expect(keeps({ field: 'language', op: 'contains', value: 'US' }, 'rus')).toBe(false);
    expect(keeps({ field: 'utm_campaign', op: 'contains', value: 'u\u0308ber' }, 'über uns')).toBe(true);
  });

  it('finds a host as people write it', () => {
    expect(keeps({ field: 'hostname', op: 'eq', value: 'Bücher.example' }, 'xn--bcher-kva.example')).toBe(true);
    expect(keeps({ field: 'hostname', op: 'not_in', value: ['SHOP.example'] }, 'shop.example')).toBe(false);
    expect(keeps({ field: 'hostname', op: 'starts_with', value: 'Shop.' }, 'shop.example')).toBe(true);
    expect(keeps({ field: 'hostname', op: 'ne', value: 'shop.example' }, '')).toBe(true);
    expect(keeps({ field: 'hostname', op: 'eq', value: 'Unknown' }, '')).toBe(false);
  });

  it('of a pattern is of the code of a country in its own case, and of no label', () => {
    expect(keeps({ field: 'country', op: 'glob', value: 'D*' }, 'DE', 'Germany')).toBe(true);
    expect(keeps({ field: 'country', op: 'glob', value: 'd*' }, 'DE', 'Germany')).toBe(false);
    expect(keeps({ field: 'country', op: 'glob', value: 'Ger*' }, 'DE', 'Germany')).toBe(false);
    expect(keeps({ field: 'city', op: 'glob', value: 'Unknown' }, '')).toBe(false);
    expect(keeps({ field: 'city', op: 'glob', value: '*' }, '')).toBe(true);
  });

  it.each<[FieldFilter['op'], string, string, boolean]>([
    ['gt', '5', '5', false],
    ['gte', '5', '5.0', true],
    ['lt', '-0.3', '-1e3', true],
    ['lte', '1', '1,5', false],
    ['lte', '1', '', false],
    ['gt', '1', ' 7', false],
  ])('%s %j compares %j as a number: %s', (op, value, text, expected) =>
    expect(keeps({ field: 'property:total', op, value }, text)).toBe(expected),
  );

  it('still finds what was recorded in another form, as it was', () =>
    expect(keeps({ field: 'path', op: 'eq', value: '/%5fa' }, '/%5fa')).toBe(true));

  it('ignores case for devices, browsers, systems and countries alone', () => {
    for (const field of ['device_type', 'browser_name', 'os_name', 'country']) {
      expect(keeps({ field, op: 'eq', value: 'MOBILE' }, 'mobile')).toBe(true);
    }
    expect(keeps({ field: 'utm_source', op: 'eq', value: 'X' }, 'x')).toBe(false);
  });

  it('finds a country by its code or its name', () => {
    expect(keeps({ field: 'country', op: 'eq', value: 'germany' }, 'DE', 'Germany')).toBe(true);
    expect(keeps({ field: 'country', op: 'ne', value: 'germany' }, 'DE', 'Germany')).toBe(false);
    expect(keeps({ field: 'country', op: 'starts_with', value: 'ger' }, 'DE', 'Germany')).toBe(true);
  });

  it('takes a missing value for the empty text, and finds it by the name it has in rows', () => {
    expect(keeps({ field: 'city', op: 'eq', value: '' }, '')).toBe(true);
    expect(keeps({ field: 'city', op: 'ne', value: 'Paris' }, '')).toBe(true);
    expect(keeps({ field: 'city', op: 'eq', value: 'Unknown' }, '')).toBe(true);
    expect(keeps({ field: 'os_name', op: 'in', value: ['unknown'] }, '')).toBe(true);
    expect(keeps({ field: 'city', op: 'eq', value: 'unknown' }, '')).toBe(false);
    expect(keeps({ field: 'referrer', op: 'not_in', value: ['Direct'] }, '')).toBe(false);
    expect(keeps({ field: 'utm_source', op: 'eq', value: 'Unknown' }, '')).toBe(false);
  });

  it('finds the domain of a referrer by the name that rows show for it', () => {
    expect(keeps({ field: 'referrer', op: 'eq', value: 'X' }, 'x.com')).toBe(true);
    expect(keeps({ field: 'referrer', op: 'eq', value: 'x.com' }, 'x.com')).toBe(true);
    expect(keeps({ field: 'referrer', op: 'ne', value: 'Hacker News' }, 'news.ycombinator.com')).toBe(false);
    expect(keeps({ field: 'referrer', op: 'in', value: ['Direct', 'Google'] }, 'google.com')).toBe(true);
    expect(keeps({ field: 'referrer', op: 'not_in', value: ['Google'] }, 'google.com')).toBe(false);
    expect(keeps({ field: 'referrer', op: 'eq', value: 'GOOGLE' }, 'google.com')).toBe(true);
    expect(keeps({ field: 'referrer', op: 'not_in', value: ['hacker news'] }, 'news.ycombinator.com')).toBe(false);
    expect(keeps({ field: 'referrer', op: 'eq', value: 'direct' }, '')).toBe(true);
    expect(keeps({ field: 'referrer', op: 'eq', value: 'Google.com' }, 'google.com')).toBe(false);
    expect(keeps({ field: 'utm_source', op: 'eq', value: 'Google' }, 'google.com')).toBe(false);
  });
});

const keeps = (filter: FieldFilter, ...spellings: string[]) => passes(criterion(filter), spellings);

describe('a glob', () => {
  it.each([
    ['/docs/**', '/docs/', true],
    ['/docs/**', '/docs/a/b', true],
    ['/docs/**', '/docs', false],
    ['/docs/*', '/docs/a', true],
    ['/docs/*', '/docs/', true],
    ['/docs/*', '/docs/a/b', false],
    ['/*/b', '/a/b', true],
    ['/*/b', '/a/a/b', false],
    ['**b', '/a/a/b', true],
    ['***', '/a', true],
    ['/a', '/a', true],
    ['/a', '/A', false],
    ['/a.b', '/aXb', false],
    ['(a|b)+[c]\\\\n?$^', '(a|b)+[c]\\\\n?$^', true],
    ['ü*', 'über', true],
    ['', '', true],
    ['*', '', true],
    ['', 'a', false],
    ['a*', 'ba', false],
  ])('%j of %j is %s, as an expression of Postgres, too', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
    expect(new RegExp(globExpression(pattern), 's').test(text)).toBe(expected); // one of JavaScript, too
  });

  it('is decided soon, whatever it is', () =>
    expect(matchesGlob('*a'.repeat(200), `${'a'.repeat(1_000)}b`)).toBe(false));
});

describe('the name of a country', () => {
  it('is English', () => expect(countryName('DE')).toBe('Germany'));
  it('is the code where there is none', () => expect(countryName('XQ')).toBe('XQ'));
  it('of nothing is nothing', () => expect(countryName('')).toBe(''));
});

describe('the names of a country', () => {
  it('are those of several languages and short ones', () => {
    expect(countryNames('DE')).toEqual(expect.arrayContaining(['Germany', 'Deutschland', 'Allemagne']));
    expect(countryNames('GB')).toContain('UK');
    expect(countryNames('Unknown')).toEqual(['Unknown']);
  });
});
