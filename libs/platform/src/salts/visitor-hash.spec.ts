import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { saltedHash } from './visitor-hash';

describe('a salted hash', () => {
  it('is the beginning of HMAC-SHA-256, whatever the salt and the text', () => {
    const salt = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 700 }), fc.string({ maxLength: 40 }));
    fc.assert(
      fc.property(salt, text, (key, value) => {
        const hmac = createHmac('sha256', key).update(`session\n${value}`).digest('hex');
        expect(saltedHash(key, 'session', value)).toBe(hmac.slice(0, 32));
      }),
    );
  });

  it('is the same for text that UTF-8 does not have', () => {
    const [key, value] = [Buffer.alloc(32, 7), 'a\ud800b'];
    const hmac = createHmac('sha256', key).update(`session\n${value}`).digest('hex');
    expect(saltedHash(key, 'session', value)).toBe(hmac.slice(0, 32));
  });
});
