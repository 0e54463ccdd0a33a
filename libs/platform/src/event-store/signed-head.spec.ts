import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { canonicalJson } from './chain-hash';
import { keyIdOf, publicKeysOf, signHead, verifySealedHead, verifySignedHead } from './signed-head';

describe('a signed head', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { privateKey: nextKey } = generateKeyPairSync('ed25519');
  const at = new Date('2026-03-01T12:00:00Z');
  const chain = { revision: 41, hash: 'ab'.repeat(32) };
  const head = signHead(privateKey, 'org_1', chain, at);
  const keys = publicKeysOf(nextKey, privateKey);

  it('names what it is the head of, when it was signed and by which key', () => {
    expect(head).toMatchObject({ organization: 'org_1', ...chain, signedAt: '2026-03-01T12:00:00.000Z' });
    expect(head.keyId).toBe(keyIdOf(createPublicKey(privateKey)));
  });

  it('is Ed25519 over this very text', () => {
    const text =
      `{"hash":"${chain.hash}","keyId":"${head.keyId}","organization":"org_1","revision":41,` +
      '"signedAt":"2026-03-01T12:00:00.000Z"}';
    expect(verify(null, Buffer.from(text), createPublicKey(privateKey), Buffer.from(head.signature, 'base64'))).toBe(
      true,
    );
  });

  it('stays verifiable after its key was replaced', () => {
    expect(verifySignedHead(head, keys)).toBe('valid');
    expect(verifySignedHead(signHead(nextKey, 'org_1', chain, at), keys)).toBe('valid');
    expect(verifySignedHead(head, publicKeysOf(nextKey))).toBe('unknown_key');
  });

  it.each([
    { organization: 'org_2' },
    { revision: 40 },
    { hash: 'ac'.repeat(32) },
    { signedAt: '2026-03-01T12:00:00.001Z' },
    { keyId: keyIdOf(nextKey) },
    { signature: '' },
    { signature: head.signature.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A')) },
  ])('is invalid with %j', (change) => expect(verifySignedHead({ ...head, ...change }, keys)).toBe('invalid'));

  it('of the first form, without time and key, stays verifiable', () => {
    const text = canonicalJson({ organization: 'org_1', ...chain });
    const signature = sign(null, Buffer.from(text), privateKey).toString('base64');
    expect(verifySealedHead('org_1', { ...chain, signature }, keys)).toBe('valid');
    expect(verifySealedHead('org_2', { ...chain, signature }, keys)).toBe('invalid');
    expect(verifySealedHead('org_1', { ...chain, signature }, publicKeysOf(nextKey))).toBe('invalid');
    expect(verifySealedHead('org_1', chain, keys)).toBe('invalid');
  });
});
