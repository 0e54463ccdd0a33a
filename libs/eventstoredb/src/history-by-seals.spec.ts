import { randomUUID } from 'node:crypto';
import { type HistoryEntry, historyPages } from '@ledgerline/platform/event-store/event-store';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { SealingScene } from '@test/event-store/eventstoredb-double/sealing-scene';
import { freshOrganization, idsOf, signedBy } from '@test/event-store/laws/harness';
import { EventStoreDbEventStore } from './eventstoredb-event-store';

const SENTENCE = 'EventStoreDB does not run its projection $by_category (Faulted)';

describe('a history while the server fills no category streams', () => {
  it('is whole, also what was recorded since, and is sealed on', async () => {
    await scene.record(store, organization, 5);
    await scene.record(store, other, 3);
    await scene.sealedUpTo(organization, 4);
    appendToCategory();
    await scene.record(store, other, 1);
    await scene.record(store, organization, 4);
    await scene.sealedUpTo(organization, 8);
    expect(await verifyChain(store, organization, { signedBy })).toMatchObject({ valid: true, events: 9, unsealed: 0 });
    expect(await verifyChain(store, other, { signedBy, pageSize: 2 })).toMatchObject({ valid: true, events: 4 });
  });

  it('names what was dropped, and shows what is not sealed', async () => {
    await scene.record(store, organization, 5);
    await scene.sealedUpTo(organization, 4);
    await store.close();
    appendToCategory();
    const reader = await scene.open();
    await scene.record(reader, organization, 2);
    expect(await verifyChain(reader, organization, { signedBy })).toMatchObject({
      valid: true,
      events: 5,
      unsealed: 2,
    });
    const [first] = own();
    scene.double.log.all = scene.double.log.all.filter((stored) => stored !== first);
    expect(await verifyChain(reader, organization, { signedBy })).toMatchObject({
      valid: false,
      firstInvalid: { revision: 0, finding: 'dropped' },
    });
  });

  it('has the same pages as one that is read from its category stream, whichever a cursor comes from', async () => {
    for (let n = 0; n < 4; n += 1) {
      await scene.record(store, organization, 3);
      await scene.sealedUpTo(organization, 3 * n + 2);
    }
    const linked = await entries(5);
    appendToCategory();
    const named = await entries(5);
    expect(named.map(withoutCursor)).toEqual(linked.map(withoutCursor));
    const rest = (before: string) => store.readBack({ organization, limit: 100, before }).then(idsOf);
    for (const [at, { cursor }] of linked.entries()) expect(await rest(cursor)).toEqual(idsOf(named.slice(at + 1)));
    scene.double.log.projection = 'Running';
    for (const [at, { cursor }] of named.entries()) expect(await rest(cursor)).toEqual(idsOf(linked.slice(at + 1)));
  });

  it('is looked for near its seals, and the rest of the log is passed over', async () => {
    await scene.record(store, organization, 2);
    await scene.sealedUpTo(organization, 1);
    for (let n = 0; n < 30; n += 1) await scene.record(store, other, 100);
    await scene.record(store, organization, 2);
    await scene.sealedUpTo(organization, 3);
    appendToCategory();
    const before = scene.double.pagesSentBackwards;
    expect(await store.readBack({ organization, limit: 100 })).toHaveLength(4);
    expect(scene.double.pagesSentBackwards - before).toBe(2);
  });

  it('is refused with the sentence after thirty seconds', async () => {
    await scene.record(store, organization, 2);
    await scene.sealedUpTo(organization, 1);
    appendToCategory();
    let skippedMs = 0;
    const { now } = performance;
    jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + (skippedMs += 31_000));
    const refused = store.readBack({ organization, limit: 10 });
    await expect(refused).rejects.toMatchObject({
      name: 'HistoryUnavailable',
      message: `${SENTENCE}, and its log takes longer than 30 s to read without that.`,
    });
  });

  it('is warned of, and a product starts', async () => {
    expect(await store.warnings()).toEqual([]);
    appendToCategory();
    const another = await scene.open();
    for (const each of [store, another])
      expect(await each.warnings()).toEqual([`${SENTENCE}; audit logs are read from $all, which takes longer.`]);
  });
});

describe('a server whose category projection was stopped after it ran', () => {
  it('is served', async () => {
    await scene.record(store, organization, 1);
    await scene.sealedUpTo(organization, 0);
    scene.double.log.projection = 'Stopped';
    const another = await scene.open({ timeoutMs: 500 });
    expect(await verifyChain(another, organization, { signedBy })).toMatchObject({ valid: true, events: 1 });
  });
});

/** By hand, as any client that may write can. */
function appendToCategory(): void {
  const stream = `$ce-${organization}`;
  const rest = { contentType: 'application/json', data: Buffer.from('{}'), metadata: Buffer.from('{}') };
  scene.double.log.append(stream, scene.double.log.lastOf(stream), [{ id: randomUUID(), type: 'Foreign', ...rest }]);
}

const own = () => scene.double.log.all.filter(({ stream }) => stream.startsWith(`${organization}-`));

const withoutCursor = (entry: HistoryEntry) => ({ ...entry, cursor: '' });

async function entries(limit: number): Promise<HistoryEntry[]> {
  const all: HistoryEntry[] = [];
  for await (const page of historyPages(store, organization, limit)) all.push(...page);
  return all;
}

let scene: SealingScene;
let store: EventStoreDbEventStore;
let organization = '';
let other = '';

beforeEach(async () => {
  scene = await SealingScene.start();
  store = await scene.sealer();
  organization = freshOrganization();
  other = freshOrganization();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await scene.stop();
});
