import { countryName } from './countries';

describe('the name of a country', () => {
  it('is English', () => expect(countryName('DE')).toBe('Germany'));
  it('is the code where there is none', () => expect(countryName('XQ')).toBe('XQ'));
  it('of nothing is nothing', () => expect(countryName('')).toBe(''));
});
