import { trusted } from './trusted';

describe('whoever is trusted to name the client', () => {
  it('is so many hops', () => {
    const isTrusted = trusted(2) as (address: string, hop: number) => boolean;
    expect([0, 1, 2].map((hop) => isTrusted('192.0.2.7', hop))).toEqual([true, true, false]);
  });

  it('is listed, or nobody, or everybody', () => {
    expect(trusted(['10.0.0.0/8'])).toEqual(['10.0.0.0/8']);
    expect([trusted(false), trusted(true)]).toEqual([false, true]);
  });
});
