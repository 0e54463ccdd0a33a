import { OwnNetwork } from './own-network';

describe('the network of the checks', () => {
  it('is in doubt once more than half of at least five hosts have failed within two minutes', () => {
    const network = at(0);
    const results = ['a', 'b', 'c', 'd', 'e', 'f'].map((host) => network.isInDoubt(host, false));
    expect(results).toEqual([false, false, false, false, false, true]);
    expect(network.isInDoubt('g', true)).toBe(false);
    expect(network.isInDoubt('a', false)).toBe(true);
  });

  it('is not where half of the hosts are up, or few are checked', () => {
    const half = at(0);
    for (const host of ['a', 'b', 'c']) half.isInDoubt(host, true);
    for (const host of ['d', 'e', 'f']) half.isInDoubt(host, false);
    expect(half.isInDoubt('f', false)).toBe(false);
    const few = at(0);
    for (const host of ['a', 'b', 'c', 'd']) few.isInDoubt(host, false);
    expect(few.isInDoubt('a', false)).toBe(false);
  });

  it('is not by failures of earlier', () => {
    const network = at(0);
    for (const host of ['a', 'b', 'c', 'd', 'e']) network.isInDoubt(host, false);
    time = 120_001;
    expect(network.isInDoubt('a', false)).toBe(false);
  });
});

let time = 0;

function at(start: number): OwnNetwork {
  time = start;
  return new OwnNetwork(() => time);
}
