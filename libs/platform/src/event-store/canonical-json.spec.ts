import fc from 'fast-check';
import type { Json } from '@ledgerline/contracts/json';
import { canonicalJson } from './canonical-json';

describe('canonical JSON', () => {
  it('writes the examples of RFC 8785 as the RFC does', () => {
    // oxlint-disable-next-line no-loss-of-precision -- an example of the RFC
    const numbers = [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001];
    const string = '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/';
    expect(canonicalJson({ numbers, string, literals: [null, true, false] })).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const names = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
    expect(canonicalJson(Object.fromEntries(names.map((name) => [name, 0])))).toBe(
      '{"\\r":0,"1":0,"\u0080":0,"\u00f6":0,"\u20ac":0,"\u{1f600}":0,"\ufb33":0}',
    );
  });

  it('is the same before and after a journey through JSON', () => {
    const property = fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const back = JSON.parse(JSON.stringify(value)) as Json;
      expect(canonicalJson(back)).toBe(canonicalJson(value as Json));
    });
    fc.assert(property, { seed: 8785, numRuns: 60 });
  });

  it('writes lone surrogates as escapes and drops what JSON drops', () => {
    expect(canonicalJson({ b: '\ud800', a: undefined, '\u0000': [1e21, -0] })).toBe(
      '{"\\u0000":[1e+21,0],"b":"\\ud800"}',
    );
  });
});
