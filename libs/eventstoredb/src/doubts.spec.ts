import { proofOf } from '@ledgerline/platform/event-store/appended-events';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { appended, event, freshOrganization, freshStream, sealing } from '@test/event-store/laws/harness';
import { waitUntil } from '@test/wait-until';
import { EventStoreDbEventStore } from './eventstoredb-event-store';

describe('an event in a history', () => {
  it('is unproven when nothing has sealed it for longer than a sealer can be away', async () => {
    const store = await open(false);
    await recorded(store, 2);
    const proofs = async () => (await store.readBack({ organization, limit: 10 })).map(proofOf);
    expect(await proofs()).toEqual(['pending', 'pending']);
    expect(await verifyChain(store, organization)).toMatchObject({ valid: true, unsealed: 2 });
    const hourAgo = new Date(Date.now() - 3_600_000);
    double.log.all = double.log.all.map((stored) => ({ ...stored, created: hourAgo }));
    expect(await proofs()).toEqual(['unproven', 'unproven']);
    const [, oldest] = await store.readBack({ organization, limit: 10 });
    expect(await verifyChain(store, organization)).toMatchObject({
      valid: false,
      events: 0,
      unsealed: 2,
      firstInvalid: { revision: 0, finding: 'unsealed', id: oldest!.id },
    });
  });

  it.each<[string, object]>([
    ['no envelope', { actor: 'key_1' }],
    ['an empty envelope', { actor: 'key_1', $ledgerline: {} }],
    ['the first form without an attempt', { metadata: { actor: 'key_1', actorType: 'api_key' } }],
    ['another attempt than a text', { actor: 'key_1', $ledgerline: { attempt: 7 } }],
  ])('is unproven when another client appended it with %s, also once it is sealed', async (_, metadata) => {
    const store = await open(true);
    await recorded(store, 1);
    const rest = { type: 'ApiKeyRevoked', contentType: 'application/json', data: Buffer.from('{}') };
    const id = '00000000-0000-4000-8000-000000000000';
    double.log.append(`${organization}-key-1`, -1, [{ id, metadata: Buffer.from(JSON.stringify(metadata)), ...rest }]);
    await recorded(store, 1);
    const history = await waitUntil(
      () => store.readBack({ organization, limit: 10 }),
      (page) => page.length === 3 && page.every(({ chain }) => chain !== null),
    );
    expect(history.map(proofOf)).toEqual(['sealed', 'unproven', 'sealed']);
  });
});

async function open(seals: boolean): Promise<EventStoreDbEventStore> {
  store = await EventStoreDbEventStore.open(double.url, seals ? { seal: sealing } : {});
  return store;
}

const recorded = (to: EventStoreDbEventStore, count: number) =>
  appended(
    to,
    freshStream(organization),
    'no-stream',
    Array.from({ length: count }, (_, n) => event({ n })),
  );

let double: EventStoreDbDouble;
let store: EventStoreDbEventStore;
let organization: string;

beforeEach(async () => {
  double = await EventStoreDbDouble.start();
  organization = freshOrganization();
});
afterEach(async () => {
  await store.close();
  double.stop();
});
