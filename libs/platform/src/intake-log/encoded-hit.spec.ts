import { hit } from '@test/intake-log/hits.fixture';
import { encodeHit } from './encoded-hit';

describe('a hit that is sent with others', () => {
  it('is recognised by its batch', () => {
    expect(encodeHit({ ...hit('a'), batch: 'b'.repeat(32) }, 1).key).toBe('b'.repeat(32));
  });

  it('is measured without a name for each item of its lists', () => {
    const names = jest.spyOn(Object, 'keys');
    const { bytes } = encodeHit(hit('a', { data: { list: ['ab', 1, [null]] } }), 1);
    expect(names.mock.calls.filter(([value]) => Array.isArray(value))).toEqual([]);
    names.mockRestore();
    expect(bytes).toBeGreaterThan(JSON.stringify(['ab', 1, [null]]).length);
  });

  it.each(['xyz', '', 'B'.repeat(32), 'b'.repeat(33)])('is refused alone where its batch is called %p', (batch) => {
    expect(() => encodeHit({ ...hit('a'), batch }, 1)).toThrow(RangeError);
  });
});
