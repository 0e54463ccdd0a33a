import { decodeTime } from 'ulid';
import { newUlid } from './new-ulid';

describe('a new ULID', () => {
  it('has the time and characters that are all equally likely', () => {
    const begun = Date.now();
    const ids = Array.from({ length: 20_000 }, newUlid);
    expect(new Set(ids).size).toBe(ids.length);
    expect(decodeTime(ids[0]!)).toBeGreaterThanOrEqual(begun);
    const counts = new Map<string, number>();
    for (const character of ids.flatMap((id) => Array.from(id.slice(10))))
      counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(32);
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(800); // eight standard deviations
  });
});
