import { ViewHashes } from './view-hashes';

describe('hashes of page views', () => {
  it('are missing on the days on which the log does not have them', () => {
    const some = Array.from({ length: 100 }, (_, n) => Math.imul(n, 0x9e3779b1));
    const logged = hashesOf({ 1: some, 2: some });
    const found = hashesOf({ 1: [...some].reverse(), 2: [7, ...some, -(2 ** 31)], 3: some });
    const missing = found.takeMissing(logged).map(({ day, changed }) => ({ day, changed }));
    expect(missing).toEqual([
      { day: 2, changed: 2 },
      { day: 3, changed: 100 },
    ]);
    expect(found.takeMissing(logged)).toEqual([]);
  });

  function hashesOf(days: Readonly<Record<number, readonly number[]>>): ViewHashes {
    const hashes = new ViewHashes();
    for (const [day, ofDay] of Object.entries(days)) for (const hash of ofDay) hashes.add(Number(day), hash);
    return hashes;
  }
});
