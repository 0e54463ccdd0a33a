import { decodeEventId, encodeEventId, eventIdFromHash, EventIds, isEventId } from './event-id';
import { ulid } from 'ulid';

describe('an event id', () => {
  it('is sixteen bytes in 26 characters and back', () => {
    for (const bytes of [
      Buffer.alloc(16),
      Buffer.alloc(16, 0xff),
      Buffer.from('00112233445566778899aabbccddeeff', 'hex'),
    ]) {
      const id = encodeEventId(bytes);
      expect(isEventId(id)).toBe(true);
      expect(decodeEventId(id)).toEqual(bytes);
    }
    expect(encodeEventId(Buffer.alloc(16, 0xff))).toBe('7ZZZZZZZZZZZZZZZZZZZZZZZZZ');
  });

  it('is written like a ULID', () => {
    const id = ulid(1_700_000_000_000);
    expect(encodeEventId(decodeEventId(id))).toBe(id);
    expect(decodeEventId(id).readUIntBE(0, 6)).toBe(1_700_000_000_000);
  });

  it('is refused when it is none', () => {
    for (const text of ['', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'U'.repeat(26), '0'.repeat(25)])
      expect(() => decodeEventId(text)).toThrow(RangeError);
  });

  it('of a client is the same for the same website, kind and client id only', () => {
    const id = eventIdFromHash('site_1', 'signup', 'a');
    expect(eventIdFromHash('site_1', 'signup', 'a')).toBe(id);
    expect(new Set([id, eventIdFromHash('site_2', 'signup', 'a'), eventIdFromHash('site_1', 'b', 'a')]).size).toBe(3);
  });

  it('follows the one before it within a millisecond', () => {
    const ids = new EventIds();
    const made = [1, 1, 1, 2, 2, 3].map((now) => ids.next(now));
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });
});
