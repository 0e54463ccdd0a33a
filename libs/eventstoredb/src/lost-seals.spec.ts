import { EventStoreDBClient } from '@eventstore/db-client';
import type { Pool } from 'pg';
import { openPool } from '@ledgerline/platform/database/pool';
import { addPublicKey, HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { readSealingFaults, verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { replaceSeals } from '@test/event-store/eventstoredb-double/replace-seals';
import { appended, event, freshOrganization, freshStream, sealing, signedBy } from '@test/event-store/laws/harness';
import { statedHead } from '@test/event-store/stated-head';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { EventStoreDbEventStore } from './eventstoredb-event-store';
import { SEAL_TYPE, type Seal } from './seal';

describe('an organization whose seals are lost', () => {
  it('is sealed no further after its seals were deleted, while others are', async () => {
    const first = await sealer();
    await recorded(first, organization, 3);
    const kept = await sealedUpTo(organization, 2);
    await first.close();
    changeFirstEvent();
    await driver.deleteStream(sealsOf(organization));

    const again = await sealer();
    await recorded(again, organization, 1);
    await recorded(again, other, 2);
    await sealedUpTo(other, 1);
    expect(await faultOf(organization)).toBe('Its seals are missing; places 0 to 2 were sealed.');
    expect(await again.chainHead(organization)).toBeNull();
    expect(await signer(again).signedHead(organization)).toMatchObject({ revision: 2, hash: kept.hash });
    const heads = [(await statedHead(pool, organization))!];
    expect(await verifyChain(again, organization, { heads })).toMatchObject({
      valid: false,
      events: 0,
      unsealed: 4,
      firstInvalid: { revision: 0, finding: 'unsealed' },
    });
  });

  it('is noticed while the sealer runs, too', async () => {
    const store = await sealer();
    await recorded(store, organization, 2);
    await sealedUpTo(organization, 1);
    await driver.deleteStream(sealsOf(organization));
    expect(await faultOf(organization)).toBe('Its seals are missing; places 0 to 1 were sealed.');
    await recorded(store, organization, 1);
    await recorded(store, other, 1);
    await sealedUpTo(other, 0); // in the same round, or one after it
    expect(seals(organization)).toHaveLength(1); // as `$all` keeps it
    const heads = [(await statedHead(pool, organization))!];
    expect(await verifyChain(store, organization, { heads })).toMatchObject({
      valid: false,
      firstInvalid: { revision: 0, finding: 'unsealed' },
    });
  });

  it.each<[string, (seal: Seal) => object, string]>([
    [
      'other hashes',
      (seal) => ({ ...seal, places: seal.places.map(([id]) => [id, 'ab'.repeat(32)]) }),
      'Its seals are others than those that were made: place 2 has another hash.',
    ],
    [
      'fewer places',
      (seal) => ({ ...seal, places: seal.places.slice(0, 1) }),
      'Its seals end at place 0; places 0 to 2 were sealed.',
    ],
    ['no places', (seal) => ({ ...seal, places: [] }), 'The newest event in its stream of seals is no seal.'],
  ])('is sealed no further where its seals have %s', async (_, change, reason) => {
    const first = await sealer();
    await recorded(first, organization, 3);
    await sealedUpTo(organization, 2);
    await first.close();
    replaceSeals(double, change);
    const again = await sealer();
    await recorded(again, organization, 1);
    await recorded(again, other, 1);
    await sealedUpTo(other, 0);
    expect(await faultOf(organization)).toBe(reason);
  });

  it('is sealed no further behind a seal that was appended by hand', async () => {
    const first = await sealer();
    await recorded(first, organization, 3);
    const kept = await sealedUpTo(organization, 2);
    await first.close();
    const [seal] = seals(organization);
    const places = [['00000000-0000-4000-8000-000000000000', 'cd'.repeat(32)]];
    const forged = { ...seal, from: 3, previousHash: kept.hash, places };
    const data = Buffer.from(JSON.stringify(forged));
    const id = '00000000-0000-4000-8000-000000000001';
    const rest = { type: SEAL_TYPE, contentType: 'application/json', metadata: Buffer.from('{}') };
    const at = double.log.of(sealsOf(organization)).length - 1;
    double.log.append(sealsOf(organization), at, [{ id, data, ...rest }]);
    const again = await sealer();
    await recorded(again, organization, 1);
    expect(await faultOf(organization)).toBe('Its newest seal is not signed with a key of this installation.');
  });

  it('does not hold up the others when its stream of seals has a tombstone or refuses us', async () => {
    const store = await sealer();
    await recorded(store, organization, 2);
    await sealedUpTo(organization, 1);
    await driver.tombstoneStream(sealsOf(organization));
    double.refused.add(sealsOf(third));
    await recorded(store, organization, 1);
    await recorded(store, third, 1);
    await recorded(store, other, 1);
    await sealedUpTo(other, 0);
    expect(await faultOf(organization)).toBe('Its seals are missing; places 0 to 1 were sealed.');
    expect(await faultOf(third)).toBe('EventStoreDB refuses the user of EVENTSTORE_URL.');
    await recorded(store, other, 1);
    await sealedUpTo(other, 1); // the log is stated as sealed up to there
    double.refused.clear();
    await sealedUpTo(third, 0);
    const history = await store.readBack({ organization, limit: 10 });
    expect(history.map(({ chain }) => chain)).toEqual([null, null, null]);
  });

  it('is sealed again, without a gap, once what was wrong is over, also by another process', async () => {
    const first = await sealer();
    await recorded(first, organization, 2);
    await sealedUpTo(organization, 1);
    await first.close();
    double.refused.add(sealsOf(organization));
    const second = await sealer();
    await recorded(second, organization, 2);
    await faultOf(organization);
    await recorded(second, other, 3); // the newest seal, from which a sealer goes on
    await sealedUpTo(other, 2);
    await second.close();
    const third = await sealer();
    double.refused.clear();
    await sealedUpTo(organization, 3);
    await recorded(third, organization, 1);
    await sealedUpTo(organization, 4);
    await waitUntil(
      () => readSealingFaults(pool),
      (faults) => faults.length === 0,
    );
    expect(await verifyChain(third, organization, { signedBy })).toMatchObject({ valid: true, events: 5 });
    expect(changes.at(-1)).toEqual([organization, null]);
  });

  it.each(['deleted', 'cut', 'tombstoned', 'changed'] as const)(
    'is sealed anew when that is decided: %s',
    async (what) => {
      const first = await sealer();
      for (let n = 0; n < 3; n += 1) {
        await recorded(first, organization, 1);
        await sealedUpTo(organization, n);
      }
      await first.close();
      changeFirstEvent();
      if (what === 'deleted') await driver.deleteStream(sealsOf(organization));
      else if (what === 'cut') await cutSeals(organization);
      else if (what === 'tombstoned') await driver.tombstoneStream(sealsOf(organization));
      else replaceSeals(double, (seal) => ({ ...seal, places: seal.places.map(([id]) => [id, 'ab'.repeat(32)]) }));
      const running = await sealer();
      await recorded(running, organization, 1);
      await recorded(running, other, 1);
      await faultOf(organization);

      expect(await running.sealAnew(organization, { key: sealing.key, database: pool }, isShown)).toMatchObject({
        revision: 3,
      });
      await recorded(running, organization, 2);
      await sealedUpTo(organization, 5);
      const heads = [(await statedHead(pool, organization))!];
      expect(await verifyChain(running, organization, { heads, signedBy, pageSize: 1 })).toMatchObject({
        valid: true,
        events: 6,
        signature: 'valid',
      });
      expect(await readSealingFaults(pool)).toEqual([]);
    },
  );
});

const sealsOf = (organization: string) => `ledgerline-seals_${organization}`;

const seals = (organization: string) =>
  double.log.of(sealsOf(organization)).map(({ data }) => JSON.parse(Buffer.from(data).toString()) as Seal);

/** Only the newest one is left, as after `$tb`. */
async function cutSeals(organization: string): Promise<void> {
  const newest = double.log.of(sealsOf(organization)).at(-1)!;
  await driver.deleteStream(sealsOf(organization));
  double.log.append(sealsOf(organization), -1, [{ ...newest, id: '00000000-0000-4000-8000-000000000002' }]);
}

/** As a process with access to the server's files can. */
function changeFirstEvent(): void {
  const first = double.log.all.find(({ stream }) => stream.startsWith(`${organization}-`));
  double.log.all = double.log.all.map((stored) =>
    stored === first ? { ...stored, data: Buffer.from('{"n":"forged"}') } : stored,
  );
}

async function open(options: Parameters<typeof EventStoreDbEventStore.open>[1] = {}): Promise<EventStoreDbEventStore> {
  const store = await EventStoreDbEventStore.open(double.url, options);
  stores.push(store);
  return store;
}

const sealer = () => open({ seal: { ...sealing, database: pool, onFault: (...change) => changes.push(change) } });

/** The harness gives all events this command. */
const isShown = () => Promise.resolve('DoSomething');

const signer = (store: EventStoreDbEventStore) => new HeadSigner(store, pool, sealing.key);

async function recorded(store: EventStoreDbEventStore, organization: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => event({ n }));
  await appended(store, freshStream(organization), 'no-stream', events);
}

const sealedUpTo = async (organization: string, revision: number) =>
  (await waitUntil(
    () => statedHead(pool, organization),
    (head) => head?.revision === revision,
  ))!;

async function faultOf(organization: string): Promise<string> {
  const faults = await waitUntil(
    () => readSealingFaults(pool),
    (rows) => rows.some((row) => row.organization === organization),
  );
  const reason = faults.find((row) => row.organization === organization)!.reason;
  expect(changes).toContainEqual([organization, reason]);
  return reason;
}

let database: TestDatabase;
let pool: Pool;
let double: EventStoreDbDouble;
let driver: EventStoreDBClient;
let stores: EventStoreDbEventStore[];
let changes: (readonly [organization: string, reason: string | null])[];
let organization = '';
let other = '';
let third = '';

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool({ url: database.url, name: 'spec', max: 4 });
  await addPublicKey(pool, sealing.key);
});
beforeEach(async () => {
  double = await EventStoreDbDouble.start();
  driver = EventStoreDBClient.connectionString(double.url);
  stores = [];
  changes = [];
  organization = freshOrganization();
  other = freshOrganization();
  third = freshOrganization();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(stores.map((store) => store.close()));
  await driver.dispose();
  double.stop();
  await pool.query('truncate sealing_faults, sealed_heads, head_statements');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
