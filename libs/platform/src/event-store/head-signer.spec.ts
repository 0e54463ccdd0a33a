import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { Pool } from 'pg';
import { EventStoreDbEventStore } from '@ledgerline/eventstoredb/eventstoredb-event-store';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { replaceSeals } from '@test/event-store/eventstoredb-double/replace-seals';
import { appended, event, freshOrganization, freshStream, sealing } from '@test/event-store/laws/harness';
import { openSigning } from '@test/event-store/sign-heads';
import { type TestDatabase, createTestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { canonicalJson } from './appended-events';
import type { EventStore } from './event-store';
import { HeadSigner, addPublicKey } from './head-signer';
import { type SignedHead, keyIdOf, publicKeysOf, signHead, verifySealedHead, verifySignedHead } from './head-statement';
import { PostgresEventStore } from './postgres-event-store';

const { privateKey: nextKey } = generateKeyPairSync('ed25519');

describe('heads that are signed', () => {
  const closing: (() => unknown)[] = [];
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
    await pool.end();
    await database.drop();
  });

  const decided = async (store: EventStore, organization: string, count: number) => {
    const stream = freshStream(organization);
    await appended(
      store,
      stream,
      'no-stream',
      Array.from({ length: count }, () => event()),
    );
  };
  const verdictOf = async (head: SignedHead | null, signer: HeadSigner) =>
    head && verifySignedHead(head, await signer.publicKeys());

  it('on Postgres in statements, and by nothing while they are shown', async () => {
    const store = new PostgresEventStore(database.url, sealing.key);
    closing.push(() => store.close());
    const organization = freshOrganization();
    const signer = new HeadSigner(store, pool, sealing.key);
    await decided(store, organization, 3);
    expect(await signer.signedHead(organization)).toBeNull();
    const { signing, close } = await openSigning(database.url, sealing);
    await signing.sign();
    const head = await signer.signedHead(organization);
    expect(head).toMatchObject({ organization, revision: 2, keyId: keyIdOf(sealing.key) });
    await decided(store, organization, 1);
    expect(await signer.signedHead(organization)).toEqual(head);
    expect(await verdictOf(head, signer)).toBe('valid');
    await close();
  });

  it('on EventStoreDB with seals of the key held, and not where a seal is not valid or a table lists its key', async () => {
    const double = await EventStoreDbDouble.start();
    closing.push(() => double.stop());
    const store = await EventStoreDbEventStore.open(double.url, { seal: sealing });
    closing.push(() => store.close());
    const organization = freshOrganization();
    await decided(store, organization, 2);
    await waitUntil(
      () => store.chainHead(organization),
      (head) => head?.revision === 1,
    );
    await addPublicKey(pool, sealing.key);
    const signer = new HeadSigner(store, pool, sealing.key);
    const head = await signer.signedHead(organization);
    expect(head).toMatchObject({ organization, revision: 1, keyId: keyIdOf(sealing.key) });
    expect(await verdictOf(head, signer)).toBe('valid');
    const other = await new HeadSigner(store, pool, nextKey).heads(organization);
    expect(other).toMatchObject({ signed: null, unsigned: { keyId: keyIdOf(sealing.key) } });
    const hash = 'ab'.repeat(32);
    replaceSeals(double, ({ places, ...seal }) => ({ ...seal, places: places.map(([id]) => [id, hash]) }));
    expect(await signer.heads(organization)).toMatchObject({ signed: null, unsigned: { revision: 1 } });
    replaceSeals(double, (seal) => ({ ...seal, signedAt: undefined, keyId: undefined }));
    expect(await signer.heads(organization)).toMatchObject({ signed: null, unsigned: { revision: 1 } });
  });

  it('only by keys whose rows are what they say', async () => {
    const foreign = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });
    const other = generateKeyPairSync('x25519').publicKey;
    await pool.query('insert into signing_keys (key_id, public_key) values ($1, $2), ($3, $4)', [
      'f'.repeat(16),
      foreign,
      keyIdOf(other),
      other.export({ format: 'der', type: 'spki' }),
    ]);
    const signer = new HeadSigner({ chainHead: () => Promise.resolve(null) }, pool, sealing.key);
    await addPublicKey(pool, nextKey);
    const keys = await signer.publicKeys();
    expect([...keys.keys()].sort()).toEqual([keyIdOf(sealing.key), keyIdOf(nextKey)].sort());
  });
});

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
