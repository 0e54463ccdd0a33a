import { isDeepStrictEqual } from 'node:util';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { GENESIS } from '@ledgerline/platform/event-store/appended-events';
import { insertStatement, signStatement } from '@ledgerline/platform/event-store/head-statement';
import { SealingFaults, verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { appendForeign } from '@test/event-store/eventstoredb-double/append-foreign';
import { SealingScene } from '@test/event-store/eventstoredb-double/sealing-scene';
import { keepSealedHead } from '@test/event-store/keep-sealed-head';
import { appended, event, freshOrganization, freshStream, sealing, signedBy } from '@test/event-store/laws/harness';
import { statedHead } from '@test/event-store/stated-head';
import { waitUntil } from '@test/wait-until';
import type { EventStoreDbEventStore } from './eventstoredb-event-store';

const FOREIGN = 2_000;

describe('the sealer of the product', () => {
  it('passes over foreign streams without an append, a read of a stream or a row', async () => {
    const store = await scene.sealer(true);
    await create(store, organization);
    await scene.sealedUpTo(organization, 0);
    appendForeign(scene.double, FOREIGN);
    await scene.record(store, organization, 1); // passed after them
    await scene.sealedUpTo(organization, 1);
    const readsBefore = scene.double.streamReads;
    appendForeign(scene.double, FOREIGN);
    await scene.record(store, organization, 1);
    await scene.sealedUpTo(organization, 2);
    expect(scene.double.streamReads - readsBefore).toBeLessThan(10);
    const streams = new Set(scene.double.log.all.map(({ stream }) => stream));
    expect([...streams].filter((stream) => stream.startsWith('ledgerline-seals_'))).toEqual([
      `ledgerline-seals_${organization}`,
    ]);
    expect(await statedOrganizations()).toEqual([organization]);
    expect(await scene.faults()).toEqual({});
  });

  it.each(['sealer', 'watch'])('names an organization that only the registry knows, as a %s', async (role) => {
    const found = new SealingFaults();
    const created = () => Promise.resolve([organization, other]);
    const watch = role === 'watch' ? { watch: found } : {};
    const store = await scene.open({ seal: { ...sealing, ...watch, created, ownOnly: true, database: scene.pool } });
    await create(store, organization);
    const named = async () => ({ ...(await scene.faults()), ...byOrganization(found) });
    const faults = await waitUntil(named, (all) => isDeepStrictEqual(Object.keys(all), [other]));
    expect(faults).toEqual({ [other]: 'Its history is missing: EventStoreDB has no event of it, and it was created.' });
    await create(store, other);
    await waitUntil(named, (all) => Object.keys(all).length === 0);
  });

  it('seals what belongs to no organization', async () => {
    const store = await scene.sealer(true);
    await appended(store, 'global-slug-a', 'no-stream', [event()]);
    await scene.sealedUpTo('global', 0);
  });

  it('knows after a restart those that it has sealed, and finds one that no statement names', async () => {
    const first = await scene.sealer(true);
    await create(first, organization);
    await create(first, other);
    await scene.sealedUpTo(organization, 0);
    await scene.sealedUpTo(other, 0);
    const sealedTo = await first.head();
    await first.close();
    const head = (await statedHead(scene.pool, organization))!;
    const heads = [{ organization, revision: head.revision, hash: head.hash }];
    await scene.pool.query('truncate head_statements');
    const statement = signStatement(sealing.key, { number: 0, previous: GENESIS, heads, sealedTo }, new Date());
    await insertStatement(scene.pool, statement);
    const second = await scene.sealer(true);
    await record(second, organization, {});
    await scene.sealedUpTo(organization, 1);
    await record(second, other, {}); // as another client writes it
    await record(second, other, { schemaVersion: '2' });
    await scene.sealedUpTo(other, 2);
    await waitUntil(
      () => verifyChain(second, other, { signedBy }),
      ({ valid, events }) => valid && events === 3,
    );
  });

  it('drops what an earlier version has sealed of foreign streams, and names an organization whose stream was deleted', async () => {
    const deleted = freshOrganization();
    const earlier = await scene.sealer();
    for (const id of [organization, deleted]) await create(earlier, id);
    await record(earlier, other, {});
    const sealed = [organization, deleted, other];
    const heads = [];
    for (const id of sealed) {
      await scene.sealedUpTo(id, 0);
      heads.push((await statedHead(scene.pool, id))!);
    }
    await earlier.close();
    await scene.pool.query('truncate head_statements');
    for (const head of heads) await keepSealedHead(scene.pool, head);
    scene.double.log.delete(RECORD_KINDS.organizations.stream({ id: deleted }));
    const store = await scene.sealer(true);
    await record(store, organization, { schemaVersion: '2' });
    await scene.sealedUpTo(organization, 1);
    expect((await statedOrganizations()).sort()).toEqual([organization, deleted].sort());
    const { rows } = await scene.pool.query<{ organization: string }>(
      'select organization from sealed_heads order by 1',
    );
    expect(rows.map((row) => row.organization)).toEqual([organization, deleted].sort());
    await waitUntil(
      () => scene.faults(),
      (faults) => isDeepStrictEqual(Object.keys(faults), [deleted]),
    );
  });
});

const byOrganization = ({ rows }: SealingFaults): Record<string, string> =>
  Object.fromEntries(rows.map(({ organization: id, reason }) => [id, reason]));

const statedOrganizations = async () =>
  (
    await scene.pool.query<{ organization: string }>(
      `select distinct head ->> 'organization' as organization from head_statements, jsonb_array_elements(heads) head`,
    )
  ).rows.map((row) => row.organization);

const create = (store: EventStoreDbEventStore, id: string) =>
  appended(store, RECORD_KINDS.organizations.stream({ id }), 'no-stream', [event({}, { type: 'OrganizationCreated' })]);

const record = (store: EventStoreDbEventStore, id: string, metadata: Record<string, string>) =>
  appended(store, freshStream(id), 'no-stream', [event({}, { metadata })]);

let scene: SealingScene;
let organization = '';
let other = '';

beforeEach(async () => {
  scene = await SealingScene.start();
  organization = freshOrganization();
  other = freshOrganization();
});
afterEach(() => scene.stop());
