import { generateKeyPairSync, sign } from 'node:crypto';
import { canonicalJson } from '@ledgerline/platform/event-store/appended-events';
import type { HistoryEntry } from '@ledgerline/platform/event-store/event-store';
import { type PublicKeys, publicKeysOf } from '@ledgerline/platform/event-store/head-statement';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { replaceSeals } from '@test/event-store/eventstoredb-double/replace-seals';
import { appended, event, freshOrganization, freshStream, sealing, signedBy } from '@test/event-store/laws/harness';
import { waitUntil } from '@test/wait-until';
import { EventStoreDbEventStore } from './eventstoredb-event-store';
import { SEAL_TYPE, type Seal } from './seal';

describe('sealed history', () => {
  let double: EventStoreDbDouble;
  let stores: EventStoreDbEventStore[];
  let organization: string;

  const open = async (seals: boolean) => {
    const store = await EventStoreDbEventStore.open(double.url, {
      ...(seals ? { seal: sealing } : {}),
    });
    stores.push(store);
    return store;
  };
  const record = async (store: EventStoreDbEventStore, count: number) => {
    const stream = freshStream(organization);
    await appended(
      store,
      stream,
      'no-stream',
      Array.from({ length: count }, (_, n) => event({ n })),
    );
  };
  const whenSealed = (store: EventStoreDbEventStore, count: number): Promise<readonly HistoryEntry[]> =>
    waitUntil(
      () => store.readBack({ organization, limit: 1_000 }),
      (page) => page.length === count && page.every(({ chain }) => chain),
    );
  const seals = () =>
    double.log.all
      .filter(({ type }) => type === SEAL_TYPE)
      .map(({ data }) => JSON.parse(Buffer.from(data).toString()) as Seal);

  beforeEach(async () => {
    double = await EventStoreDbDouble.start();
    stores = [];
    organization = freshOrganization();
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    double.stop();
  });

  it('is one chain, whoever seals it, and however often', async () => {
    const one = await open(true);
    const two = await open(true);
    for (let n = 0; n < 20; n += 1) await record(n % 2 === 0 ? one : two, 2);
    const entries = await whenSealed(one, 40);
    expect(await verifyChain(two, organization)).toMatchObject({ valid: true, events: 40, unsealed: 0 });
    const sealed = seals().flatMap(({ places }) => places.map(([id]) => id));
    expect(sealed).toEqual(entries.map(({ id }) => id).reverse());
  });

  it('goes on where the newest seal was made', async () => {
    const first = await open(true);
    await record(first, 3);
    await whenSealed(first, 3);
    await first.close();
    const unsealing = await open(false);
    await record(unsealing, 4);
    expect(await verifyChain(unsealing, organization)).toMatchObject({ valid: true, events: 3, unsealed: 4 });
    const second = await open(true);
    await whenSealed(second, 7);
    expect(await verifyChain(second, organization)).toMatchObject({ valid: true, events: 7, unsealed: 0 });
  });

  it('has signed heads, and a verdict on their signature', async () => {
    const store = await open(true);
    await record(store, 2);
    await whenSealed(store, 2);
    const verdictOf = (keys: PublicKeys) => verifyChain(store, organization, { signedBy: keys });
    expect(await verdictOf(signedBy)).toMatchObject({ valid: true, signature: 'valid' });
    const { publicKey } = generateKeyPairSync('ed25519');
    expect(await verdictOf(publicKeysOf(publicKey))).toMatchObject({ valid: false, signature: 'invalid' });
    replaceSeals(double, ({ signature, ...seal }) => ({ ...seal, signature: signature.replace(/^./, otherThan) }));
    expect(await verdictOf(signedBy)).toMatchObject({ valid: false, signature: 'invalid' });
  });

  it.each([undefined, null, 7, ''])('is not valid with %p in place of the signature', async (signature) => {
    const store = await open(true);
    await record(store, 2);
    await whenSealed(store, 2);
    replaceSeals(double, (seal) => ({ ...seal, signature }));
    expect(await verifyChain(store, organization, { signedBy })).toMatchObject({ valid: false, signature: 'invalid' });
  });

  it('holds over events and seals of the first form, and over what follows them', async () => {
    const store = await open(true);
    const stream = freshStream(organization);
    const bytes = (value: object) => Buffer.from(JSON.stringify(value));
    const metadata = { actor: 'usr_1', correlation: 'order-17', schemaVersion: '1' };
    const first = { ...event({ n: 0 }, { metadata, sealed: 'AAAA' }), contentType: 'application/json' };
    const envelope = { metadata, attempt: 'an append', sealed: 'AAAA', recordedAt: '2026-01-02T03:04:05.678Z' };
    double.log.append(stream, -1, [{ ...first, data: bytes(first.data), metadata: bytes(envelope) }]);
    const [entry] = await whenSealed(store, 1);
    expect(entry).toMatchObject({ id: first.id, metadata, sealed: 'AAAA', data: { n: 0 }, chain: { revision: 0 } });
    expect(entry!.recordedAt).toEqual(new Date('2026-01-02T03:04:05.678Z'));
    const undated = { version: undefined, contentSignature: undefined, signedAt: undefined, keyId: undefined };
    replaceSeals(double, (seal) => ({ ...seal, ...undated, signature: firstSignature(seal) }));
    const verdict = async () => verifyChain(store, organization, { signedBy });
    expect((await store.chainHead(organization))!.signedAt).toBeUndefined();
    expect(await verdict()).toMatchObject({ valid: true, events: 1, signature: 'valid' });
    expect(await store.append(stream, 'no-stream', [first])).toMatchObject({ ok: true, replayed: true });
    await appended(store, stream, 0, [event({ n: 1 }, { metadata: { ...metadata, schemaVersion: '2' } })]);
    await whenSealed(store, 2);
    expect(await verdict()).toMatchObject({ valid: true, events: 2, signature: 'valid' });
  });

  it('finds the seals of an old page among many', async () => {
    const store = await open(true);
    for (let n = 0; n < 40; n += 1) {
      await record(store, 1);
      await whenSealed(store, n + 1);
    }
    const entries = await store.readBack({ organization, limit: 100 });
    expect(seals().length).toBeGreaterThan(20);
    for (const at of [5, 20, 38]) {
      const page = await store.readBack({ organization, before: entries[at]!.cursor, limit: 1 });
      expect(page).toEqual([entries[at + 1]]);
      const withoutNumber = entries[at]!.cursor.replace(/@.*/, '');
      expect(await store.readBack({ organization, before: withoutNumber, limit: 1 })).toEqual(page);
    }
  });

  it('seals events that were appended by hand, without an actor', async () => {
    const store = await open(true);
    await record(store, 2);
    const json = (value: object) => Buffer.from(JSON.stringify(value));
    const forged = { id: '00000000-0000-4000-8000-000000000000', type: 'Forged', contentType: 'application/json' };
    double.log.append(`${organization}-forged-1`, -1, [{ ...forged, data: json({}), metadata: json({}) }]);
    const [newest] = await whenSealed(store, 3);
    expect(newest).toMatchObject({ id: forged.id, metadata: {}, chain: { revision: 2 } });
    expect(await verifyChain(store, organization, { signedBy })).toMatchObject({ valid: true, signature: 'valid' });
  });

  it('is cut back without a trace, unless a head was kept elsewhere', async () => {
    const store = await open(true);
    await record(store, 2);
    await whenSealed(store, 2);
    const { length } = double.log.all;
    await record(store, 2);
    await whenSealed(store, 4);
    const kept = (await store.chainHead(organization))!;
    await store.close();
    double.log.all.splice(length);
    const reader = await open(false);
    expect(await verifyChain(reader, organization, { signedBy })).toMatchObject({ valid: true, events: 2 });
    const { firstInvalid } = await verifyChain(reader, organization, { heads: [kept] });
    expect(firstInvalid).toEqual({ revision: 2, finding: 'dropped' });
  });

  it.each([
    ['changed', 3],
    ['dropped', 3],
    ['dropped', 5],
    ['swapped', 3],
    ['inserted', 4],
  ])('names the place of a stored event that was %s: %i', async (finding, revision) => {
    const store = await open(true);
    for (let n = 0; n < 6; n += 1) await record(store, 1);
    await whenSealed(store, 6);
    tamper[finding as keyof typeof tamper](double, organization, revision);
    expect(await verifyChain(store, organization)).toMatchObject({ valid: false, firstInvalid: { revision, finding } });
  });
});

/** As seals were signed before they had a time and the id of a key. */
function firstSignature({ organization, from, places }: Omit<Seal, 'signature'>): string {
  const [, hash] = places.at(-1)!;
  const head = canonicalJson({ organization, revision: from + places.length - 1, hash });
  return sign(null, Buffer.from(head), sealing.key).toString('base64');
}

const otherThan = (letter: string): string => (letter === 'x' ? 'y' : 'x');

type Tamper = (double: EventStoreDbDouble, organization: string, revision: number) => void;

const tamper: Record<'changed' | 'dropped' | 'swapped' | 'inserted', Tamper> = {
  changed: ({ log }, organization, revision) => {
    const target = log.targetOf(log.of(`$ce-${organization}`)[revision]!)!;
    log.all = log.all.map((kept) => (kept === target ? { ...kept, data: Buffer.from('{"n":"forged"}') } : kept));
  },
  dropped: ({ log }, organization, revision) => {
    const target = log.targetOf(log.of(`$ce-${organization}`)[revision]!);
    log.all = log.all.filter((kept) => kept !== target);
  },
  swapped: ({ log }, organization, revision) => {
    const links = log.of(`$ce-${organization}`);
    const one = links[revision]!;
    const other = links[revision + 1]!;
    log.all = log.all.map((kept) =>
      kept === one ? { ...one, data: other.data } : kept === other ? { ...other, data: one.data } : kept,
    );
  },
  inserted: ({ log }, organization, revision) => {
    const forged = log.append(`${organization}-forged-1`, -1, [
      {
        id: '00000000-0000-4000-8000-000000000000',
        type: 'Forged',
        contentType: 'application/json',
        data: Buffer.from('{}'),
        metadata: Buffer.from('{}'),
      },
    ]);
    if (!forged.ok) throw new Error('The forged event was not kept.');
    const link = log.all.pop()!;
    log.all = log.all.map((kept) =>
      kept.stream === link.stream && kept.revision >= revision ? { ...kept, revision: kept.revision + 1 } : kept,
    );
    log.all.splice(
      log.all.findIndex((kept) => kept.stream === link.stream && kept.revision > revision),
      0,
      { ...link, revision },
    );
  },
};
