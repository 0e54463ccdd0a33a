import { createHash } from 'node:crypto';
import { partitionOf } from './intake-log';

describe('the partition of a subject', () => {
  it('is the same for ever, for any number of subjects', () => {
    for (let n = 0; n < 25_000; n++) {
      const subject = `site_${n % 12_000}`;
      const expected = createHash('sha256').update(subject).digest().readUInt32BE(0) % 4;
      expect(partitionOf(subject, 4)).toBe(expected);
    }
  });

  it('is pinned, because stored events depend on it', () => {
    expect(['site_A', 'site_B', 'link_C'].map((subject) => partitionOf(subject, 4))).toEqual([3, 0, 0]);
  });
});
