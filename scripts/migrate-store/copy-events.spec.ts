import { EventStoreDbEventStore } from '@ledgerline/eventstoredb/eventstoredb-event-store';
import type { ChainHead, EventStore, HistoryEntry } from '@ledgerline/platform/event-store/event-store';
import { PostgresEventStore } from '@ledgerline/platform/event-store/postgres-event-store';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { replaceSeals } from '@test/event-store/eventstoredb-double/replace-seals';
import {
  appended,
  event,
  freshOrganization,
  freshStream,
  readAll,
  sealing,
  signedBy,
} from '@test/event-store/laws/harness';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { copyEvents, CopyRefused, verifyCopy } from './copy-events';

describe('copying an event store', () => {
  const closing: (() => Promise<unknown>)[] = [];
  let source: PostgresEventStore;
  let target: EventStore;
  let double: EventStoreDbDouble;
  const organizations = [freshOrganization(), freshOrganization()];

  const postgres = async (): Promise<PostgresEventStore> => {
    const database: TestDatabase = await createTestDatabase();
    const store = new PostgresEventStore(database.url);
    closing.push(() => store.close().then(() => database.drop()));
    return store;
  };
  const eventStoreDb = async (seal: typeof sealing | undefined): Promise<EventStoreDbEventStore> => {
    const server = (double = await EventStoreDbDouble.start());
    const store = await EventStoreDbEventStore.open(server.url, { seal });
    closing.push(() => store.close().then(() => server.stop()));
    return store;
  };

  beforeEach(async () => {
    source = await postgres();
    target = await eventStoreDb(sealing);
    for (let n = 0; n < 12; n += 1) {
      const stream = freshStream(organizations[n % 2]);
      await appended(source, stream, 'no-stream', [event({ n, text: '\u0000\ud800' }, { sealed: 'AAAA' }), event()]);
      await appended(source, stream, 1, [event({ n }, { type: 'SomethingElse', metadata: SECOND_SCHEMA })]);
    }
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  it('keeps order, ids, revisions, metadata, times and hashes, there and back', async () => {
    expect(await copyEvents(source, target)).toMatchObject({ events: 36, copied: 36 });
    expect(await verifyCopy(source, target, { signedBy })).toMatchObject({ events: 36, organizations: 2 });
    const back = await postgres();
    await copyEvents(target, back);
    await verifyCopy(target, back, { signedBy });
    expect(await readAll(back)).toEqual(await readAll(source));
    for (const organization of organizations) {
      const page = { organization, limit: 100 };
      expect(await back.readBack(page)).toEqual(await source.readBack(page));
      const withoutCursor = (entry: HistoryEntry) => ({ ...entry, cursor: '' });
      expect((await target.readBack(page)).map(withoutCursor)).toEqual(
        (await source.readBack(page)).map(withoutCursor),
      );
      expect((await verifyChain(back, organization)).valid).toBe(true);
    }
  });

  it('goes on after it was interrupted, and does nothing when all is there', async () => {
    let told = 0;
    const onProgress = () => {
      if (++told > 20) throw new Error('killed');
    };
    const interrupted = copyEvents(source, target, { onProgress });
    await expect(interrupted).rejects.toThrow('killed');
    const there = (await readAll(target)).length;
    expect(there).toBeGreaterThan(10);
    expect(await copyEvents(source, target)).toMatchObject({ events: 36, copied: 36 - there });
    expect(await copyEvents(source, target)).toMatchObject({ events: 36, copied: 0 });
  });

  it('refuses a target that holds anything else', async () => {
    await appended(target, freshStream(), 'no-stream', [event()]);
    await expect(copyEvents(source, target)).rejects.toThrow(CopyRefused);
    await expect(copyEvents(source, target)).rejects.toThrow('The target is not empty');
    await expect(copyEvents(await postgres(), target)).rejects.toThrow('more events than the source');
  });

  it('may begin while the source is written to, and is finished later', async () => {
    let meanwhile: Promise<unknown> | undefined;
    const onProgress = () => {
      meanwhile ??= appended(source, freshStream(organizations[0]), 'no-stream', [event()]);
    };
    expect(await copyEvents(source, target, { onProgress })).toMatchObject({ events: 36, copied: 36 });
    await meanwhile;
    await expect(verifyCopy(source, target, { signedBy })).rejects.toThrow('The copy differs');
    expect(await copyEvents(source, target)).toMatchObject({ events: 37, copied: 1 });
    expect(await verifyCopy(source, target, { signedBy })).toMatchObject({ events: 37 });
  });

  it('finds the position in the copy for a reader of the source', async () => {
    await copyEvents(source, target);
    const events = await readAll(source);
    const copies = await readAll(target);
    const cursors = ['', events[9]!.cursor, events[35]!.cursor];
    const { places } = await verifyCopy(source, target, { signedBy, wanted: cursors });
    expect([...places.values()]).toEqual(['', copies[9]!.cursor, copies[35]!.cursor]);
  });

  it('moves no history whose seals lost their signature, in neither direction, unless that is accepted', async () => {
    await copyEvents(source, target);
    await verifyCopy(source, target, { signedBy });
    const back = await postgres();
    await copyEvents(target, back);
    replaceSeals(double, (seal) => ({ ...seal, signature: undefined }));
    await expect(verifyCopy(source, target, { signedBy })).rejects.toThrow('is not signed with a key');
    await expect(verifyCopy(target, back, { signedBy })).rejects.toThrow('is not signed with a key');
    const unproven: string[] = [];
    await verifyCopy(target, back, { signedBy, onUnproven: (organization) => unproven.push(organization) });
    expect(unproven.toSorted()).toEqual(organizations.toSorted());
  });

  it('moves a history only through the heads that were signed of it, and answers that of the copy', async () => {
    await copyEvents(source, target);
    const verified = new Map<string, ChainHead>();
    const onVerified = (organization: string, head: ChainHead) => void verified.set(organization, head);
    await verifyCopy(source, target, { signedBy, onVerified });
    for (const organization of organizations)
      expect(verified.get(organization)).toEqual(await target.chainHead(organization));
    const others = () => Promise.resolve([{ revision: 3, hash: 'a'.repeat(64) }]);
    await expect(verifyCopy(source, target, { signedBy, signedHeads: others })).rejects.toThrow('does not hold');
  });

  it('waits once for a sealer, however many histories it does not seal', async () => {
    const unsealed = await eventStoreDb(undefined);
    await copyEvents(source, unsealed);
    const back = await postgres();
    await copyEvents(unsealed, back);
    const unproven: string[] = [];
    const looked = jest.spyOn(unsealed, 'chainHead');
    const proof = {
      signedBy,
      sealedWithinMs: 2_000,
      onUnproven: (organization: string) => unproven.push(organization),
    };
    await verifyCopy(unsealed, back, proof);
    const looks = looked.mock.calls.map(([organization]) => organization);
    expect(unproven.toSorted()).toEqual(organizations.toSorted());
    const [waitedFor, other] = unproven.map((organization) => looks.filter((one) => one === organization).length);
    expect(waitedFor).toBeGreaterThan(2 * other!);
  });

  it('has no position for a reader that is ahead of the source', async () => {
    await copyEvents(source, target);
    const wanted = [`${Number(await source.head()) + 1}`];
    await expect(verifyCopy(source, target, { signedBy, wanted })).rejects.toThrow('rebuild it first');
  });
});

const SECOND_SCHEMA = { 'ä"': '', correlation: 'order-17', $causationId: 'x', schemaVersion: '2' };
