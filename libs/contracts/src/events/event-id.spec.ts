import fc from 'fast-check';
import { decodeTime } from 'ulid';
import { decodeEventId, encodeEventId, derivedEventId, isEventId, randomEventId } from './event-id';

const sixteenBytes = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('an event id', () => {
  it('is 26 characters that give back its 16 bytes', () => {
    fc.assert(
      fc.property(sixteenBytes, (bytes) => {
        const id = encodeEventId(bytes);
        expect(isEventId(id)).toBe(true);
        expect([...decodeEventId(id)]).toEqual([...bytes]);
      }),
      { seed: 1 },
    );
  });

  it('sorts like its bytes', () => {
    fc.assert(
      fc.property(sixteenBytes, sixteenBytes, (a, b) => {
        const byText = Math.sign(
          encodeEventId(a) < encodeEventId(b) ? -1 : encodeEventId(a) > encodeEventId(b) ? 1 : 0,
        );
        expect(byText).toBe(Buffer.compare(a, b));
      }),
      { seed: 2 },
    );
  });

  it('knows its extremes', () => {
    expect(encodeEventId(new Uint8Array(16))).toBe('0'.repeat(26));
    expect(encodeEventId(new Uint8Array(16).fill(255))).toBe(`7${'Z'.repeat(25)}`);
  });

  it('is refused with wrong letters, wrong length or too many bits', () => {
    for (const text of [
      '',
      'U'.repeat(26),
      '0'.repeat(25),
      `8${'0'.repeat(25)}`,
      '0123456789abcdefghjkmnpqrs',
      'é'.repeat(26),
    ])
      expect(() => decodeEventId(text)).toThrow(RangeError);
    expect(() => encodeEventId(new Uint8Array(15))).toThrow(RangeError);
  });

  it('of a client is the same for every retry, and another for another website, kind or text', () => {
    const id = derivedEventId('site_A', 'signup', 'e-1');
    expect(derivedEventId('site_A', 'signup', 'e-1')).toBe(id);
    const others = [
      derivedEventId('site_B', 'signup', 'e-1'),
      derivedEventId('site_A', 'login', 'e-1'),
      derivedEventId('site_A', 'signup', 'e-2'),
    ];
    expect(new Set([id, ...others]).size).toBe(4);
    expect(derivedEventId('site_A', 'signup', 'ä😀-1')).toBe('7PC8J64Y92S3R5PSAKY2AHWBRC'); // as all earlier versions
    expect(derivedEventId('a', 'bc', 'd')).not.toBe(derivedEventId('ab', 'c', 'd'));
  });

  it('is fresh and carries its time when made at random', () => {
    const at = Date.parse('2026-03-01T12:00:00Z');
    expect(decodeTime(randomEventId(at))).toBe(at);
    expect(randomEventId(at)).not.toBe(randomEventId(at));
  });
});
