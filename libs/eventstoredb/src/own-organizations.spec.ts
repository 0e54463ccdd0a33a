import { appendForeign } from '@test/event-store/eventstoredb-double/append-foreign';
import { SealingScene } from '@test/event-store/eventstoredb-double/sealing-scene';
import { appended, event, freshOrganization, freshStream, signedBy } from '@test/event-store/laws/harness';
import { waitUntil } from '@test/wait-until';
import { organizationStream } from '@ledgerline/platform/event-store/streams';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import type { EventStoreDbEventStore } from './eventstoredb-event-store';

const FOREIGN = 2_000;

describe('the sealer of the product', () => {
  it('passes over foreign streams without an append, a read of a stream or a row', async () => {
    const store = await scene.sealer(true);
    await create(store, organization);
    await scene.sealedUpTo(store, organization, 0);
    appendForeign(scene.double, FOREIGN);
    await scene.record(store, organization, 1); // passed after them
    await scene.sealedUpTo(store, organization, 1);
    const readsBefore = scene.double.streamReads;
    appendForeign(scene.double, FOREIGN);
    await scene.record(store, organization, 1);
    await scene.sealedUpTo(store, organization, 2);
    expect(scene.double.streamReads - readsBefore).toBeLessThan(10);
    const streams = new Set(scene.double.log.all.map(({ stream }) => stream));
    expect([...streams].filter((stream) => stream.startsWith('ledgerline-seals_'))).toEqual([
      `ledgerline-seals_${organization}`,
    ]);
    const { rows } = await scene.pool.query('select organization from sealed_heads');
    expect(rows).toEqual([{ organization }]);
    expect(await scene.faults()).toEqual({});
  });

  it('seals what belongs to no organization', async () => {
    const store = await scene.sealer(true);
    await appended(store, 'global-slug-a', 'no-stream', [event()]);
    await scene.sealedUpTo(store, 'global', 0);
  });

  it('knows after a restart those that it has sealed, and finds one that Postgres has lost', async () => {
    const first = await scene.sealer(true);
    await create(first, organization);
    await create(first, other);
    await scene.sealedUpTo(first, organization, 0);
    await scene.sealedUpTo(first, other, 0);
    await first.close();
    await scene.pool.query('delete from sealed_heads where organization = $1', [other]);
    const second = await scene.sealer(true);
    await record(second, organization, {});
    await scene.sealedUpTo(second, organization, 1);
    await record(second, other, {}); // as another client writes it
    await record(second, other, { schemaVersion: '2' });
    await scene.sealedUpTo(second, other, 2);
    await waitUntil(
      () => verifyChain(second, other, { signedBy }),
      ({ valid, events }) => valid && events === 3,
    );
  });
});

const create = (store: EventStoreDbEventStore, id: string) =>
  appended(store, organizationStream(id), 'no-stream', [event({}, { type: 'OrganizationCreated' })]);

const record = (store: EventStoreDbEventStore, id: string, metadata: Record<string, string>) =>
  appended(store, freshStream(id), 'no-stream', [event({}, { metadata })]);

let scene: SealingScene;
let [organization, other] = ['', ''];

beforeEach(async () => {
  scene = await SealingScene.start();
  [organization, other] = [freshOrganization(), freshOrganization()];
});
afterEach(() => scene.stop());
