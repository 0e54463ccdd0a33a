import { countryName, countryNames } from './countries';

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
