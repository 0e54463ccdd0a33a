import { encodeHit } from './encoded-hit';
import { hit } from '@test/intake-log/hits.fixture';

describe('a hit that is sent with others', () => {
  it('is recognised by its batch', () => {
    expect(encodeHit({ ...hit('a'), batch: 'b'.repeat(32) }, 1).key).toBe('b'.repeat(32));
  });

  it.each(['xyz', '', 'B'.repeat(32), 'b'.repeat(33)])('is refused alone where its batch is called %p', (batch) => {
    expect(() => encodeHit({ ...hit('a'), batch }, 1)).toThrow(RangeError);
  });
});
