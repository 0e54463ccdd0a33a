import { randomUUID } from 'node:crypto';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { addPublicKey } from '@ledgerline/platform/event-store/head-signer';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { appendForeign } from '@test/event-store/eventstoredb-double/append-foreign';
import { guardedDouble } from '@test/event-store/eventstoredb-double/guarded-double';
import {
  appended,
  event,
  freshOrganization,
  freshStream,
  readAll,
  sealing,
  signedBy,
} from '@test/event-store/laws/harness';
import { createTestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { migrateStore, type Direction } from './migrate-store';

const THERE: Direction = { from: 'postgres', to: 'eventstoredb' };
const BACK: Direction = { from: 'eventstoredb', to: 'postgres' };

const create = (store: EventStore, organization: string) =>
  appended(store, RECORD_KINDS.organizations.stream({ id: organization }), 'no-stream', [
    event({}, { type: 'OrganizationCreated' }),
  ]);

it('copies what it can of a server with deleted streams, and names the rest', async () => {
  const database = await createTestDatabase();
  const server = await guardedDouble();
  const { log } = server.double;
  const store = await openEventStore({ databaseUrl: database.url, eventStoreUrl: server.url() });
  const organizations = [freshOrganization(), freshOrganization(), freshOrganization()] as const;
  const [ended, scavenged, whole] = organizations.map((organization) => freshStream(organization));
  for (const organization of organizations) await create(store, organization);
  for (const stream of [ended!, scavenged!, whole!])
    await appended(store, stream, 'no-stream', [event({ n: 0 }), event({ n: 1 })]);
  await store.close();
  for (const stream of [ended!, RECORD_KINDS.organizations.stream({ id: organizations[0] })]) log.tombstone(stream);
  log.append(whole!, 1, [{ ...log.of(whole!)[0]!, id: randomUUID(), type: 'not.ours' }]);
  log.append(whole!, 2, [{ ...log.of(whole!)[0]!, id: randomUUID() }]);
  log.delete(scavenged!);
  log.all = log.all.filter(({ stream, revision }) => stream !== scavenged || revision > 0);

  const printed: string[] = [];
  const installation = { databaseUrl: database.url, signingKey: sealing.key, isRunning: false };
  const closed = { ...installation, close: () => Promise.resolve() };
  await migrateStore(BACK, closed, server.url(), (text) => printed.push(text));
  expect(printed).toContain('7 events are in both stores (7 copied now).');
  expect(printed).toContain(
    `Warning: ${organizations[0]}: Its audit log there lacks events that the copy has: a deleted stream or a limit of one hides them. Decide with "npm run audit -- reseal".`,
  );
  expect(printed.filter((line) => line.includes('are not copied'))).toEqual([
    `Warning: ${scavenged}: Its events from revision 0 on are not copied: the source has none before revision 1.`,
    `Warning: ${whole}: Its events from revision 2 on are not copied: "not.ours" is no event type.`,
  ]);
  expect(printed).toContainEqual(expect.stringContaining('EVENT_STORE=postgres'));
  const copy = await openEventStore({ databaseUrl: database.url });
  const copied = await readAll(copy);
  expect(copied.slice(3).map(({ stream, revision }) => [stream, revision])).toEqual([
    [ended, 0],
    [ended, 1],
    [whole, 0],
    [whole, 1],
  ]);
  await copy.close();
  server.stop();
  await database.drop();
});

it('leaves the streams of other programs behind, waits for none of them, and can go back', async () => {
  const database = await createTestDatabase();
  const server = await guardedDouble();
  const pool = openPool({ url: database.url, name: 'spec', max: 2 });
  await addPublicKey(pool, sealing.key);
  const address = { databaseUrl: database.url, eventStoreUrl: server.url() };
  const store = await openEventStore(address, { ...sealing, database: pool });
  const organization = freshOrganization();
  const shared = 'global-slug-a';
  await create(store, organization);
  await appended(store, shared, 'no-stream', [event()]);
  await Promise.all([store.close(), pool.end()]);
  server.double.log.projection = 'Faulted'; // nothing shows the foreign streams
  appendForeign(server.double, 1_000);
  const move = async (direction: Direction) => {
    const printed: string[] = [];
    const installation = { databaseUrl: database.url, signingKey: sealing.key, isRunning: false };
    const closed = { ...installation, close: () => Promise.resolve() };
    await migrateStore(direction, closed, server.url(), (text) => printed.push(text));
    return printed;
  };
  expect((await move(BACK)).slice(0, -1)).toEqual([
    '2 events are in both stores (2 copied now).',
    expect.stringMatching(/^Warning: 1000 events in 1000 streams are not copied, as no .* for them, such as x\w+-1\.$/),
    '2 events of 2 organizations are equal; every hash chain without a warning is valid.',
  ]);
  expect(await move(THERE)).toContain('2 events are in both stores (0 copied now).');
  server.stop();
  await database.drop();
});

it('moves away from a server that fills no category streams any more, and to a new one', async () => {
  const database = await createTestDatabase();
  const left = await guardedDouble();
  const server = await guardedDouble();
  const organization = freshOrganization();
  const pool = openPool({ url: database.url, name: 'spec', max: 2 });
  await addPublicKey(pool, sealing.key);
  const store = await openEventStore(
    { databaseUrl: database.url, eventStoreUrl: left.url() },
    { ...sealing, database: pool },
  );
  const sealed = (count: number) =>
    waitUntil(
      () => verifyChain(store, organization),
      ({ unsealed, events }) => unsealed === 0 && events === count,
    );
  const record = () => appended(store, freshStream(organization), 'no-stream', [event(), event()]);
  await create(store, organization);
  await record();
  await sealed(3);
  left.double.log.projection = 'Faulted';
  await record();
  await sealed(5);
  await store.close();
  const move = (direction: Direction, url: string) => {
    const installation = { databaseUrl: database.url, signingKey: sealing.key, isRunning: false };
    return migrateStore(direction, { ...installation, close: () => Promise.resolve() }, url, () => undefined);
  };
  await move(BACK, left.url());
  await move(THERE, server.url());
  const filled = await openEventStore({ databaseUrl: database.url, eventStoreUrl: server.url() });
  expect(await verifyChain(filled, organization, { signedBy })).toMatchObject({ valid: true, events: 5 });
  expect(await filled.warnings()).toEqual([]);
  await Promise.all([filled.close(), pool.end()]);
  for (const each of [left, server]) each.stop();
  await database.drop();
});
