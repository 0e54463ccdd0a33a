import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { openPool } from '@ledgerline/platform/database/pool';
import { addPublicKey } from '@ledgerline/platform/event-store/head-signer';
import { ALL_ORGANIZATIONS, readSealingFaults, verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { appended, event, freshOrganization, freshStream, sealing, signedBy } from '@test/event-store/laws/harness';
import { statedHead, whenBegun } from '@test/event-store/stated-head';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { EventStoreDbEventStore } from './eventstoredb-event-store';
import { SEAL_TYPE, type Seal } from './seal';

const FUTURE = '9000000.9000000';

describe('a seal that another client appended', () => {
  it.each<[string, (seal: Seal, ghost: string) => object | string]>([
    ['with a resume beyond the head', (seal, ghost) => ({ ...seal, organization: ghost, resume: FUTURE })],
    ['copied from another organization', (seal) => seal],
    ['in the first form, with a resume beyond the head', (seal) => firstForm({ ...seal, resume: FUTURE })],
    ['that is null', () => 'null'],
    ['that is a text', () => '"seal"'],
    ['that is no JSON', () => '{'],
    ['whose places are no list', (seal) => ({ ...seal, places: { length: 1 } })],
    ['whose key is a list', (seal) => ({ ...seal, keyId: [seal.keyId], resume: FUTURE })],
    ['that is deeply nested', (seal) => `{"deep":${'['.repeat(9_999)}${']'.repeat(9_999)},${textOf(seal).slice(1)}`],
  ])('%s, to an organization that does not exist, changes nothing for the others', async (_, change) => {
    const first = await sealer();
    await recorded(first, other, 2);
    await sealedUpTo(other, 1);
    await first.close();
    const ghost = freshOrganization();
    appendForeign(ghost, change(sealsOf(other)[0]!, ghost));
    const second = await sealer();
    await recorded(second, other, 2);
    await sealedUpTo(other, 3);
    expect(await readSealingFaults(pool)).toEqual([]);
    expect(await verifyChain(second, other, { signedBy })).toMatchObject({
      valid: true,
      events: 4,
      signature: 'valid',
    });
  });

  const misplaced = 'Its newest seal, whose cursor is not signed, names another place than its last event has.';
  const unsigned = 'Its newest seal is not signed with a key of this installation.';
  it.each<[string, (seal: Seal) => object, string]>([
    ['cursor', (seal) => ({ ...seal, cursor: FUTURE }), unsigned],
    ['resume', (seal) => ({ ...seal, resume: FUTURE }), unsigned],
    ['begin', (seal) => ({ ...seal, begin: 1 }), unsigned],
    ['previous hash', (seal) => ({ ...seal, previousHash: 'cd'.repeat(32) }), unsigned],
    ['places', (seal) => ({ ...seal, places: [[randomUUID(), 'cd'.repeat(32)], ...seal.places.slice(1)] }), unsigned],
    ['signature', (seal) => ({ ...seal, contentSignature: undefined }), unsigned],
    ['cursor, in the first form', (seal) => firstForm({ ...seal, cursor: FUTURE }), misplaced],
  ])('that is a copy of the newest one with another %s is its own organization’s fault', async (_, change, reason) => {
    const first = await sealer();
    await recorded(first, organization, 3);
    await sealedUpTo(organization, 2);
    await first.close();
    appendForeign(organization, change(sealsOf(organization)[0]!));
    const second = await sealer();
    await recorded(second, organization, 1);
    await recorded(second, other, 2);
    await sealedUpTo(other, 1);
    expect(await faults()).toEqual({ [organization]: reason });
    if (reason === unsigned)
      expect(await verifyChain(second, organization, { signedBy })).toMatchObject({
        valid: false,
        signature: 'invalid',
      });
    await second.sealAnew(organization, { key: sealing.key, database: pool }, isShown);
    await recorded(second, organization, 1);
    await sealedUpTo(organization, 4);
    expect(await verifyChain(second, organization, { signedBy })).toMatchObject({ valid: true, events: 5 });
  });
});

describe('an event that another client appended', () => {
  it('to a stream in no category belongs to no organization', async () => {
    const store = await sealer();
    await recorded(store, organization, 1);
    appendTo(`${organization}x`, 'Foreign', '{}');
    appendTo('x', 'Foreign', '{}', 'null');
    await recorded(store, organization, 1);
    await sealedUpTo(organization, 1);
    expect(await verifyChain(store, organization, { signedBy })).toMatchObject({ valid: true, events: 2 });
  });

  it('is sealed whatever its body is, or is its own organization’s fault', async () => {
    const store = await sealer();
    await whenBegun(pool);
    for (const [body, metadata] of [['null'], ['7', '7'], ['{', '"x"'], ['{}', '{"$ledgerline":null}']] as const)
      appendTo(`${third}-thing-1`, 'Foreign', body, metadata);
    appendTo(`${organization}-thing-1`, 'Foreign', `${'['.repeat(9_000)}${']'.repeat(9_000)}`);
    await recorded(store, other, 1);
    await sealedUpTo(other, 0);
    await sealedUpTo(third, 3);
    expect(await faults()).toEqual({
      [organization]: 'Its events cannot be sealed: Maximum call stack size exceeded',
    });
  });
});

describe('sealing that cannot go on for any organization', () => {
  it('is reported, and goes on by itself, in a log that was restored under it', async () => {
    const store = await sealer();
    await recorded(store, other, 2);
    await sealedUpTo(other, 1);
    const backup = double.log.copy();
    await recorded(store, organization, 2);
    await recorded(store, third, 2);
    await recorded(store, other, 2);
    await sealedUpTo(other, 3);
    await sealedUpTo(third, 1);
    double.restore(backup);
    const lost = (revision: number) =>
      `Its history is missing: EventStoreDB has no event of it, and places 0 to ${revision} were sealed.`;
    await waitUntil(faults, (found) => !(ALL_ORGANIZATIONS in found) && Object.keys(found).length === 3);
    expect(
      changes.some(([of, reason]) => of === ALL_ORGANIZATIONS && reason?.includes('is not the one that was read')),
    ).toBe(true);
    expect(await faults()).toEqual({
      [organization]: lost(1),
      [third]: lost(1),
      [other]: 'Its seals end at place 1; places 0 to 3 were sealed.',
    });
    const fourth = freshOrganization();
    await recorded(store, fourth, 1);
    await sealedUpTo(fourth, 0);
    await store.sealAnew(other, { key: sealing.key, database: pool }, isShown);
    await recorded(store, other, 1);
    await sealedUpTo(other, 2);
    expect(await verifyChain(store, other, { signedBy })).toMatchObject({ valid: true, events: 3 });
  });

  it('names what a restore lost wholly when it starts, also by a backup without the organization', async () => {
    const first = await sealer();
    const backup = double.log.copy();
    await recorded(first, organization, 2);
    await sealedUpTo(organization, 1);
    await first.close();
    double.restore(backup);
    await sealer();
    const reason = 'Its history is missing: EventStoreDB has no event of it, and places 0 to 1 were sealed.';
    expect(await waitUntil(faults, (found) => organization in found)).toEqual({ [organization]: reason });
  });
});

const firstForm = (seal: Seal): object => ({ ...seal, version: undefined, contentSignature: undefined });

const textOf = (body: object | string): string => (typeof body === 'string' ? body : JSON.stringify(body));

const sealsOf = (organization: string): Seal[] =>
  double.log.of(`ledgerline-seals_${organization}`).map(({ data }) => JSON.parse(Buffer.from(data).toString()) as Seal);

const appendForeign = (organization: string, body: object | string): void =>
  appendTo(`ledgerline-seals_${organization}`, SEAL_TYPE, textOf(body));

/** As any client that may write does. */
function appendTo(stream: string, type: string, body: string, metadata = '{}'): void {
  const bytes = { data: Buffer.from(body), metadata: Buffer.from(metadata) };
  const outcome = double.log.append(stream, double.log.of(stream).length - 1, [
    { id: randomUUID(), type, contentType: 'application/json', ...bytes },
  ]);
  if (!outcome.ok) throw new Error('The double did not take the event.');
}

/** The harness gives all events this command. */
const isShown = () => Promise.resolve('DoSomething');

const seal = () => ({ ...sealing, database: pool, onFault: (...change: Change) => void changes.push(change) });

async function sealer(): Promise<EventStoreDbEventStore> {
  const store = await EventStoreDbEventStore.open(double.url, { seal: seal() });
  stores.push(store);
  return store;
}

async function recorded(store: EventStoreDbEventStore, organization: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => event({ n }));
  await appended(store, freshStream(organization), 'no-stream', events);
}

const sealedUpTo = (organization: string, revision: number) =>
  waitUntil(
    () => statedHead(pool, organization),
    (head) => head?.revision === revision,
  );

const faults = async (): Promise<Record<string, string>> =>
  Object.fromEntries((await readSealingFaults(pool)).map(({ organization, reason }) => [organization, reason]));

type Change = readonly [organization: string, reason: string | null];

let database: TestDatabase;
let pool: Pool;
let double: EventStoreDbDouble;
let stores: EventStoreDbEventStore[];
let changes: Change[];
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
  stores = [];
  changes = [];
  organization = freshOrganization();
  other = freshOrganization();
  third = freshOrganization();
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  double.stop();
  await pool.query('truncate sealing_faults, sealed_heads, head_statements');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
