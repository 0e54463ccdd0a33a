import type { FieldFilter } from '@ledgerline/contracts/definitions';
import { countryName, countryNames, criterion, impossibleValues, passes, spellingsOf } from './filters';

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
    ['starts_with', 'log', '/blog/1', false],
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
    expect(keeps({ field: 'utm_campaign', op: 'contains', value: 'u\u0308ber' }, 'über uns')).toBe(true);
  });

  it.each<[string, string | string[], string, string]>([
    ['path', '/thanks/', 'eq', '/thanks'],
    ['path', 'thanks', 'eq', '/thanks'],
    ['path', ' https://Shop.example/thanks/#top', 'eq', '/thanks'],
    ['path', '/a/../Danke%20sch%c3%b6n', 'eq', '/Danke%20sch%C3%B6n'],
    ['path', ['/x', '/thanks/'], 'in', '/thanks'],
    ['entry_page', '/thanks/', 'glob', '/thanks'],
    ['exit_page', 'docs/**', 'glob', '/docs/a'],
    ['path', 'https://shop.example/docs/', 'starts_with', '/docs/a'],
    ['query_string', '?q=%6f', 'eq', 'q=o'],
    ['query_string', '?q=', 'contains', 'a=1&q=o'],
    ['hostname', 'https://Shop.example:8080/a', 'eq', 'shop.example'],
    ['hostname', 'shop.example.', 'eq', 'shop.example'],
    ['hostname', 'SHOP', 'contains', 'shop.example'],
    ['hostname', 'Bü', 'starts_with', 'xn--bcher-kva.example'],
    ['hostname', '*.BÜCHER.example', 'glob', 'www.xn--bcher-kva.example'],
    ['referrer', 'https://www.Google.de/search?q=1', 'eq', 'google.com'],
    ['referrer', 'Google.com', 'eq', 'google.com'],
    ['referrer', 'WWW.Partner.Example', 'eq', 'partner.example'],
    ['referrer', 'android-app://com.google.android.gm', 'in', 'mail.google.com'],
    ['referrer', 'Google', 'contains', 'google.com'],
    ['referrer', 'www.Partner', 'starts_with', 'partner.example'],
    ['referrer', 'bücher', 'contains', 'xn--bcher-kva.example'],
    ['referrer', 'NEWS.*', 'glob', 'news.example.org'],
    ['domain', 'Bücher.example', 'eq', 'xn--bcher-kva.example'],
    ['domain', 'Other.', 'starts_with', 'other.example'],
    ['href', 'Other.example', 'eq', 'https://other.example/'],
    ['href', 'HTTP://Bücher.example:80/größe', 'eq', 'http://xn--bcher-kva.example/gr%C3%B6%C3%9Fe'],
    ['href', 'https://Bücher.example/g', 'starts_with', 'https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe'],
    ['href', 'OTHER.example/größe', 'contains', 'https://other.example/gr%C3%B6%C3%9Fe'],
    ['href', 'other.example/**', 'glob', 'http://other.example/a/b'],
    ['language', 'EN', 'contains', 'en-US'],
    ['language', '*_us', 'glob', 'en-US'],
    ['language', 'iw-il', 'eq', 'he-IL'],
    ['language', 'no-*', 'glob', 'nb-NO'],
    ['language', 'TL', 'starts_with', 'fil-PH'],
    // as it was recorded by earlier versions
    ['language', 'he-IL', 'eq', 'iw-IL'],
    ['language', 'nb', 'in', 'no'],
    ['timezone', 'europe/', 'starts_with', 'Europe/Berlin'],
    ['timezone', 'berlin', 'contains', 'Europe/Berlin'],
    ['timezone', 'EUROPE/*', 'glob', 'Europe/Berlin'],
    ['event', ' u\u0308ber ', 'eq', 'über'],
    ['utm_campaign', 'u\u0308ber**', 'glob', 'über uns'],
    ['property:plan', 'u\u0308', 'starts_with', 'über'],
  ])('on %s finds %j, typed or copied, by %s in %s', (field, value, op, recorded) =>
    expect(keeps({ field, op: op as FieldFilter['op'], value }, ...spellingsOf(field, recorded))).toBe(true),
  );

  it.each<[string, FieldFilter['op'], string, string]>([
    ['path', 'contains', 'thanks/', '/thanks'],
    ['path', 'starts_with', '/.', '/a'],
    ['path', 'starts_with', ' ', '/a'],
    ['path', 'eq', '', '/'],
    ['path', 'eq', '/thanks?order=1', '/thanks'],
    ['hostname', 'contains', ' ', 'shop.example'],
    ['referrer', 'starts_with', 'www.', 'partner.example'],
    ['referrer', 'glob', 'www.*', 'partner.example'],
    ['timezone', 'contains', 'est', 'America/Panama'],
    ['language', 'contains', 'no', 'nb-SJ'],
    ['language', 'eq', 'no', 'nn'],
    ['property:plan', 'eq', ' pro', 'pro'],
  ])('on %s, %s %j does not find %s', (field, op, value, recorded) =>
    expect(keeps({ field, op, value }, ...spellingsOf(field, recorded))).toBe(false),
  );

  it('looks for what no path can have: a query string', () => {
    const value = ['/a', '/a?b', 'https://shop.example/a?b#c', '/a#b?c'];
    expect(impossibleValues({ field: 'path', op: 'in', value })).toEqual(value.slice(1, 3));
    expect(impossibleValues({ field: 'path', op: 'not_in', value })).toEqual([]);
    expect(impossibleValues({ field: 'query_string', op: 'in', value })).toEqual([]);
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
    expect(keeps({ field: 'utm_source', op: 'eq', value: 'Google' }, 'google.com')).toBe(false);
  });
});

const keeps = (filter: FieldFilter, ...spellings: string[]) => passes(criterion(filter), spellings);

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
