import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { Pool } from 'pg';
import { openPool } from '@ledgerline/platform/database/pool';
import { addPublicKey, HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { readStatements, signHead } from '@ledgerline/platform/event-store/head-statement';
import { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import { statementFile } from '@ledgerline/platform/event-store/statement-memory';
import { readSealingFaults, SealingFaults, UNACKNOWLEDGED } from '@ledgerline/platform/event-store/verify-chain';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { keepSealedHead } from '@test/event-store/keep-sealed-head';
import { appended, event, freshStream, sealing } from '@test/event-store/laws/harness';
import { statedHead } from '@test/event-store/stated-head';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { AuditVerification } from '../../../apps/api/src/audit/verify-audit-log.query';
import { EventStoreDbEventStore } from './eventstoredb-event-store';
import { SEAL_TYPE, signSeal, type Seal } from './seal';
import type { Sealing } from './sealer';

const { privateKey: foreignKey } = generateKeyPairSync('ed25519');

describe('a history on EventStoreDB that is rewritten without the key', () => {
  it.each(['running', 'restarted'] as const)('is not signed, and is named: %s', async (state) => {
    const store = await sealer();
    await recorded(store, 'org_1', 3);
    const before = await statedUpTo('org_1', 2);
    if (state === 'restarted') await store.close();
    await driver.setStreamMetadata(sealsOf('org_1'), { truncateBefore: 1 });
    await forge('org_1', { revision: 5, hash: 'cd'.repeat(32) });
    const running = state === 'running' ? store : await sealer();
    await recorded(running, 'org_1', 1);
    await recorded(running, 'org_2', 1);
    await statedUpTo('org_2', 0);
    await waitUntil(
      () => faultOf('org_1'),
      (fault) => fault === 'Its seals are others than those that were made: place 2 has another hash.',
    );
    expect(await statedHead(pool, 'org_1')).toEqual(before);
    expect(await verdict('org_1')).toMatchObject({ valid: false, signature: null });
    expect(await signer().signedHead('org_1')).toMatchObject({ revision: 2, hash: before.hash });
  });

  it('is not signed after a restart where its seals and their rows were deleted', async () => {
    const first = await sealer();
    await recorded(first, 'org_1', 2);
    const before = await statedUpTo('org_1', 1);
    await recorded(first, 'org_2', 1);
    await statedUpTo('org_2', 0);
    await first.close();
    const [old] = seals('org_2');
    await driver.deleteStream(sealsOf('org_1'));
    append(sealsOf('org_2'), old!); // an old one again, by which a sealer would go on from there
    const second = await sealer();
    await recorded(second, 'org_1', 1);
    expect(await faultOf('org_1')).toBe('Its seals are missing; places 0 to 1 were sealed.');
    expect(await statedHead(pool, 'org_1')).toEqual(before);
  });

  it('is not signed behind all that was stated, although nothing names it any more', async () => {
    const first = await sealer();
    await recorded(first, 'org_1', 2);
    await statedUpTo('org_1', 1);
    await recorded(first, 'org_2', 1);
    await statedUpTo('org_2', 0);
    await first.close();
    await driver.deleteStream(sealsOf('org_1'));
    await forget('org_1');
    const second = await sealer();
    await recorded(second, 'org_1', 1);
    expect(await faultOf('org_1')).toContain('that neither a seal nor a signed statement names');
    expect(await statedHead(pool, 'org_1')).toBeNull();
  });

  it('is found by a process that only watches, whatever the table of faults says, until it is right', async () => {
    const store = await sealer();
    await recorded(store, 'org_1', 2);
    await statedUpTo('org_1', 1);
    await store.close();
    const found = new SealingFaults();
    await open({ ...sealing, database: pool, watch: found });
    double.refused.add(sealsOf('org_1'));
    await waitUntil(() => found.rows.some(({ organization }) => organization === 'org_1'));
    expect(await readSealingFaults(pool)).toEqual([]);
    double.refused.clear();
    await waitUntil(() => found.rows.length === 0);
  });
});

describe('what is sealed on EventStoreDB', () => {
  it('is stated round by round, up to where it is sealed, and remembered in a file', async () => {
    const store = await sealer();
    await recorded(store, 'org_1', 2);
    await statedUpTo('org_1', 1);
    const [newest] = (await readStatements(pool, 1, 10)).slice(-1);
    expect(newest!.sealedTo).toContain(seals('org_1').at(-1)!.cursor);
    expect(JSON.parse(readFileSync(statementFile(folder), 'utf8'))).toMatchObject({ number: newest!.number });
    expect(await readSealingFaults(pool)).toEqual([]);
  });

  it('is not signed on where all statements and the file were deleted', async () => {
    const first = await sealer();
    await recorded(first, 'org_1', 2);
    await statedUpTo('org_1', 1);
    await first.close();
    await pool.query('truncate head_statements');
    rmSync(statementFile(folder));
    await sealer();
    expect(await faultOf('*')).toContain('There are events, but no signed statement');
  });

  it('was kept by an earlier version: it is taken over once, to be acknowledged', async () => {
    const first = await sealer();
    await recorded(first, 'org_1', 2);
    const { revision, hash } = await statedUpTo('org_1', 1);
    await first.close();
    await pool.query('truncate head_statements');
    rmSync(statementFile(folder));
    const kept = signHead(sealing.key, 'org_1', { revision, hash }, new Date());
    await keepSealedHead(pool, kept);
    const second = await sealer();
    await recorded(second, 'org_1', 1);
    await statedUpTo('org_1', 2);
    expect(await faultOf(UNACKNOWLEDGED)).toContain('did not remember the signed statements');
    await new StatementChain({ database: pool, key: sealing.key, log: second }).vouch();
    await waitUntil(
      () => readSealingFaults(pool),
      (rows) => rows.length === 0,
    );
  });

  it('is compared with the history at once where the metadata of a stream hides some of it', async () => {
    const store = await sealer();
    const stream = freshStream('org_1');
    await appended(store, stream, 'no-stream', [event({ n: 0 }), event({ n: 1 })]);
    await statedUpTo('org_1', 1);
    await driver.setStreamMetadata(stream, { maxCount: 1 });
    expect(await faultOf('org_1')).toBe('Its history is not what was sealed: place 0 is dropped.');
  });

  it('is compared with the log by its seals where the server fills no category streams any more', async () => {
    const store = await sealer();
    const stream = freshStream('org_1');
    await appended(store, stream, 'no-stream', [event({ n: 0 }), event({ n: 1 })]);
    await statedUpTo('org_1', 1);
    double.log.projection = 'Faulted';
    await recorded(store, 'org_1', 1);
    await statedUpTo('org_1', 2);
    const pages = double.pagesSentBackwards;
    await driver.setStreamMetadata(stream, { owner: 'it' });
    await waitUntil(() => double.pagesSentBackwards > pages);
    await recorded(store, 'org_1', 1);
    await statedUpTo('org_1', 3);
    expect(await readSealingFaults(pool)).toEqual([]);
    const data = Buffer.from('{"n":7}');
    double.log.all = double.log.all.map((stored) =>
      stored.stream === stream && stored.revision === 1 ? { ...stored, data } : stored,
    );
    await driver.setStreamMetadata(stream, { owner: 'it' });
    expect(await faultOf('org_1')).toBe('Its history is not what was sealed: place 1 is changed.');
  });
});

const sealsOf = (organization: string) => `ledgerline-seals_${organization}`;

const seals = (organization: string) =>
  double.log.of(sealsOf(organization)).map(({ data }) => JSON.parse(Buffer.from(data).toString()) as Seal);

function append(stream: string, seal: object): void {
  const bytes = { data: Buffer.from(JSON.stringify(seal)), metadata: Buffer.from('{}') };
  double.log.append(stream, double.log.lastOf(stream), [
    { id: randomUUID(), type: SEAL_TYPE, contentType: 'application/json', ...bytes },
  ]);
}

/** With an own key that the database lists, and a row that names the forged head. */
async function forge(organization: string, { revision, hash }: { revision: number; hash: string }): Promise<void> {
  await addPublicKey(pool, foreignKey);
  const { cursor } = seals(organization).at(-1)!;
  const content = { organization, from: 0, previousHash: '0'.repeat(64), cursor };
  const places = Array.from({ length: revision + 1 }, () => [randomUUID(), hash] as const);
  append(sealsOf(organization), signSeal(foreignKey, { ...content, places, begin: 1 }, new Date()));
  await keepSealedHead(pool, signHead(foreignKey, organization, { revision, hash }, new Date()));
}

/** As if statements had never named it: they are signed again without it. */
async function forget(organization: string): Promise<void> {
  const statements = await readStatements(pool, 1, 100);
  await pool.query('truncate head_statements');
  rmSync(statementFile(folder));
  const log = { read: () => Promise.resolve({ events: [], next: '', atHead: true }) };
  const chain = new StatementChain({ database: pool, key: sealing.key, log });
  await chain.readOn();
  for (const { heads, sealedTo } of statements) {
    const others = heads.filter((head) => head.organization !== organization);
    await chain.append(
      others.map(({ revision, hash, organization: id }) => ({ organization: id, revision, hash })),
      sealedTo === undefined ? {} : { sealedTo },
    );
  }
}

async function open(seal: Sealing): Promise<EventStoreDbEventStore> {
  const store = await EventStoreDbEventStore.open(double.url, { seal });
  stores.push(store);
  return store;
}

async function sealer(): Promise<EventStoreDbEventStore> {
  const logger = { warn: () => undefined };
  return open({ ...sealing, database: pool, statementFile: statementFile(folder), logger });
}

async function recorded(store: EventStoreDbEventStore, organization: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => event({ n }));
  await appended(store, freshStream(organization), 'no-stream', events);
}

const signer = () => new HeadSigner(stores.at(-1)!, pool, sealing.key);

const verdict = (organization: string) => {
  const faultOf = async () => (await readSealingFaults(pool)).find((row) => row.organization === organization)?.reason;
  return new AuditVerification(stores.at(-1)!, signer(), { faultOf, overdueBefore: () => undefined }).verdict(
    organization,
  );
};

const statedUpTo = async (organization: string, revision: number) =>
  (await waitUntil(
    () => statedHead(pool, organization),
    (head) => head?.revision === revision,
  ))!;

const faultOf = async (organization: string): Promise<string> =>
  (
    await waitUntil(
      () => readSealingFaults(pool),
      (rows) => rows.some((row) => row.organization === organization),
    )
  ).find((row) => row.organization === organization)!.reason;

let database: TestDatabase;
let pool: Pool;
let double: EventStoreDbDouble;
let driver: EventStoreDBClient;
let stores: EventStoreDbEventStore[];
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool({ url: database.url, name: 'spec', max: 4 });
  await addPublicKey(pool, sealing.key);
});
beforeEach(async () => {
  double = await EventStoreDbDouble.start();
  driver = EventStoreDBClient.connectionString(double.url);
  folder = mkdtempSync(join(tmpdir(), 'ledgerline-seals-'));
  stores = [];
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await driver.dispose();
  double.stop();
  rmSync(folder, { recursive: true });
  await pool.query('truncate sealing_faults, sealed_heads, head_statements');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
