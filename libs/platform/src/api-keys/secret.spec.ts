import { hashSecret, looksLikeSecret, newSecret, startOf } from './secret';

describe('a secret', () => {
  it('is svc_ and 48 letters and digits, never the same', () => {
    const secrets = Array.from({ length: 200 }, newSecret);
    expect(secrets.every(looksLikeSecret)).toBe(true);
    expect(new Set(secrets).size).toBe(200);
  });

  it('draws every character equally often', () => {
    const counts = new Map<string, number>();
    for (let n = 0; n < 1_000; n++)
      for (const character of newSecret().slice(4)) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = (1_000 * 48) / 62;
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    expect(counts.size).toBe(62);
    expect(chiSquare).toBeLessThan(140); // 61 degrees of freedom: a fair draw exceeds it less than once in 10^7
  });

  it('shows only its first eight characters', () => {
    const secret = newSecret();
    expect(startOf(secret)).toBe(secret.slice(0, 8));
    expect(startOf(secret)).toHaveLength(8);
  });

  it('is recognised by its exact form', () => {
    const secret = newSecret();
    for (const wrong of [
      '',
      'svc_',
      `${secret}x`,
      secret.slice(0, -1),
      ` ${secret}`,
      `${secret}\n`,
      `SVC_${secret.slice(4)}`,
    ])
      expect(looksLikeSecret(wrong)).toBe(false);
  });

  it('is hashed under the pepper', () => {
    const secret = `svc_${'a'.repeat(48)}`;
    expect(hashSecret(secret, 'pepper')).toHaveLength(32);
    expect(hashSecret(secret, 'pepper')).toEqual(hashSecret(secret, 'pepper'));
    expect(hashSecret(secret, 'pepper')).not.toEqual(hashSecret(secret, 'salt'));
  });
});
