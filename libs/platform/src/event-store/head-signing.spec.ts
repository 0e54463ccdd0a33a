import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { openSigning } from '@test/event-store/sign-heads';
import { appended, event, freshStream, sealing } from '@test/event-store/laws/harness';
import { rewriteHistory } from '@test/journeys/rewrite-history';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { addPublicKey, HeadSigner, readPublicKeys } from './head-signer';
import { readStatements, signStatement, statementHash, type HeadStatement } from './head-statement';
import { PostgresEventStore } from './postgres-event-store';
import { SealedHeads } from './sealed-heads';
import { readSealingFaults } from './sealing-faults';
import { keyIdOf, signHead, verifySignature, verifySignedHead } from './signed-head';
import { StatementChain, statementFile } from './statement-chain';

const { privateKey: nextKey } = generateKeyPairSync('ed25519');

describe('the heads of hash chains in Postgres', () => {
  it('are signed once for all organizations that grew, in a chain of statements', async () => {
    await decided('org_1', 'org_2', 'org_2');
    await sign();
    await sign();
    await decided('org_2');
    await sign();
    const [first, second, ...others] = await statements();
    expect(others).toEqual([]);
    expect(headsOf(first)).toEqual(['org_1 0', 'org_2 1']);
    expect(headsOf(second)).toEqual(['org_2 2']);
    expect(second).toMatchObject({ number: 1, previous: statementHash(first!) });
    const keys = await readPublicKeys(pool);
    expect([first!, second!].map((statement) => verifySignature(statement, keys))).toEqual(['valid', 'valid']);
    const head = await signer.signedHead('org_2');
    expect([head?.revision, verifySignedHead(head!, keys)]).toEqual([2, 'valid']);
  });

  it('are signed within a second of an append, also by several processes at once', async () => {
    const others = await Promise.all([1, 2].map(() => openSigning(database.url, { ...sealing, dataDir: newFolder() })));
    for (const { signing } of others) signing.start();
    await Promise.all([1, 2, 3, 4, 5, 6].map((n) => decided(`org_${n % 3}`, `org_${n}`)));
    await waitUntil(
      () => Promise.all([0, 1, 2, 3, 4, 5, 6].map((n) => isSigned(`org_${n}`))),
      (all) => all.every(Boolean),
    );
    for (const { close } of others) await close();
    const all = await statements();
    for (const [at, statement] of all.slice(1).entries())
      expect(statement).toMatchObject({ number: at + 1, previous: statementHash(all[at]!) });
    expect(new Set(all.flatMap(headsOf)).size).toBe(all.flatMap(headsOf).length);
    expect(await faults()).toEqual({});
  });

  it('are not signed for the first time where the chain itself does not hold', async () => {
    await decided('org_1', 'org_1', 'org_1', 'org_2');
    await rewriteHistory(database.url, 'org_1', 1, 1);
    await sign();
    expect(headsOf((await statements())[0])).toEqual(['org_2 0']);
    expect(await faults()).toEqual({ org_1: 'Place 1 of its history is not what its hash says.' });
  });

  it('have to continue what a sealer has signed on EventStoreDB before', async () => {
    await decided('org_1', 'org_1');
    const head = { revision: 0, hash: 'a'.repeat(64) };
    await new SealedHeads(pool).keep(signHead(sealing.key, 'org_1', head, new Date()));
    await sign();
    expect(await faults()).toEqual({ org_1: expect.stringContaining('place 0 has another hash') as string });
    expect(await statements()).toEqual([]);
  });

  it('are refused where a history is gone as a whole', async () => {
    await decided('org_1', 'org_2');
    await sign();
    await pool.query(`delete from organization_chains where organization = 'org_1'`);
    await pool.query(`delete from events where organization = 'org_1'`);
    await reopen();
    await decided('org_2');
    await sign();
    expect(await faults()).toEqual({
      org_1: 'Its history ends before the first place; places 0 to 0 were signed.',
    });
    expect(headsOf((await statements()).at(-1))).toEqual(['org_2 1']);
  });

  it('are remembered in a file that only its owner may read, and taken from the database where there is none', async () => {
    await decided('org_1');
    await sign();
    const [first] = await statements();
    expect(JSON.parse(readFileSync(statementFile(folder), 'utf8'))).toEqual({
      number: 0,
      hash: statementHash(first!),
      signedAt: first!.signedAt,
    });
    expect(statSync(statementFile(folder)).mode & 0o777).toBe(0o600);
    rmSync(statementFile(folder));
    await reopen();
    await decided('org_1');
    await sign();
    expect(await statements()).toHaveLength(2);
    expect(logged).toEqual(['no signed statement is remembered outside the database; the newest one there is taken']);
  });

  it.each([
    ['is damaged', '{"number":'],
    ['holds something else', '{}'],
  ])('are not signed where that file %s', async (_, content) => {
    await decided('org_1');
    await sign();
    writeFileSync(statementFile(folder), content);
    await reopen();
    await decided('org_1');
    await sign();
    expect(await statements()).toHaveLength(1);
    expect((await faults())['*']).toContain(`${statementFile(folder)}, which remembers the newest signed statement`);
  });

  it('are not signed on where they cannot be remembered, until they can', async () => {
    await decided('org_1');
    await sign();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'no folder');
    for (let n = 0; n < 2; n += 1) {
      await decided('org_1');
      await sign();
      expect(await statements()).toHaveLength(2);
      expect((await faults())['*']).toMatch(/^The newest signed statement cannot be remembered in .* \(E\w+\)/);
    }
    rmSync(folder);
    await sign();
    await sign();
    expect(await statements()).toHaveLength(3);
    expect(await faults()).toEqual({});
  });

  it.each(['running', 'restarted', 'without its file'] as const)(
    'are not signed behind a statement that another key signed, although the database lists it: %s',
    async (state) => {
      await decided('org_1', 'org_2');
      await sign();
      await addPublicKey(pool, nextKey);
      await forge(nextKey, { heads: [{ organization: 'org_1', revision: 0, hash: 'b'.repeat(64), resealed: true }] });
      if (state === 'without its file') rmSync(statementFile(folder));
      if (state !== 'running') await reopen();
      await decided('org_2');
      await sign();
      expect(await statements()).toHaveLength(2);
      expect((await faults())['*']).toContain(`number 1, names key ${keyIdOf(nextKey)}, which is neither`);
      expect((await signer.heads('org_1')).unsigned).toMatchObject({ keyId: keyIdOf(nextKey) });
    },
  );

  it('are not signed where a statement between others was changed or deleted, which a restart shows', async () => {
    for (const organization of ['org_1', 'org_2', 'org_3']) {
      await decided(organization);
      await sign();
    }
    await pool.query(`update head_statements set heads = '[]' where number = 1`);
    await reopen();
    await sign();
    expect((await faults())['*']).toContain('number 2 does not follow number 1');
    await pool.query('delete from head_statements where number = 1');
    await sign();
    expect((await faults())['*']).toContain('number 2 does not follow number 1');
  });

  it('are signed again with a new key, which the file and the key before it vouch for', async () => {
    await decided('org_1', 'org_2');
    await sign();
    await reopen({ key: nextKey });
    await sign();
    expect((await statements()).map(headsOf)).toEqual([
      ['org_1 0', 'org_2 0'],
      ['org_1 0', 'org_2 0'],
    ]);
    const later = new HeadSigner(store, pool, nextKey);
    expect((await later.heads('org_1')).unsigned).toBeNull();
    expect(await faults()).toEqual({});
  });

  it('are not begun anew by the decision of an earlier time, however it is signed', async () => {
    await decided('org_1');
    await sign();
    await new StatementChain({ database: pool, key: sealing.key }).restart('Restored.');
    await sign();
    await decided('org_1');
    await sign();
    expect(logged).toEqual(['an operator has had hash chains signed as they were, whatever was signed before']);
    expect(await statements()).toHaveLength(4);
    await pool.query('delete from head_statements where number > 1');
    await sign();
    await reopen();
    await sign();
    expect((await faults())['*']).toContain('is missing: they end at number 1');
    expect(await statements()).toHaveLength(2);
  });
});

let database: TestDatabase;
let pool: Pool;
let store: PostgresEventStore;
let signer: HeadSigner;
let folder: string;
let opened: Awaited<ReturnType<typeof openSigning>>;
let logged: string[];
const folders: string[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url });
  store = new PostgresEventStore(database.url);
  signer = new HeadSigner(store, pool, sealing.key);
  folder = newFolder();
  logged = [];
  opened = await open(sealing.key);
});
afterEach(async () => {
  await opened.close();
  await store.close();
  await pool.end();
  await database.drop();
  for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true });
});

const sign = () => opened.signing.sign();

const open = (key: KeyObject) =>
  openSigning(database.url, { key, dataDir: folder, onLog: (message) => logged.push(message) });

/** As another process with the same file. */
async function reopen({ key = sealing.key }: { key?: KeyObject } = {}): Promise<void> {
  await opened.close();
  opened = await open(key);
}

async function decided(...organizations: string[]): Promise<void> {
  for (const organization of organizations)
    await appended(store, freshStream(organization), 'no-stream', [event({ name: 'Shop' })]);
}

const statements = () => readStatements(pool, 0, 1_000);

const headsOf = (statement: HeadStatement | undefined): string[] =>
  statement?.heads.map(({ organization, revision }) => `${organization} ${revision}`).toSorted() ?? [];

async function isSigned(organization: string): Promise<boolean> {
  const [signed, head] = [await signer.signedHead(organization), await store.chainHead(organization)];
  return head === null || signed?.hash === head.hash;
}

async function faults(): Promise<Record<string, string>> {
  return Object.fromEntries((await readSealingFaults(pool)).map(({ organization, reason }) => [organization, reason]));
}

/** Appends a statement that follows the newest one. */
async function forge(
  key: KeyObject,
  { heads }: { heads: Parameters<typeof signStatement>[1]['heads'] },
): Promise<void> {
  const last = (await statements()).at(-1)!;
  const statement = signStatement(key, { number: last.number + 1, previous: statementHash(last), heads }, new Date());
  await pool.query(
    `insert into head_statements (number, previous, heads, signed_at, key_id, signature) values ($1, $2, $3, $4, $5, $6)`,
    [
      statement.number,
      statement.previous,
      JSON.stringify(statement.heads),
      statement.signedAt,
      statement.keyId,
      statement.signature,
    ],
  );
}

function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'ledgerline-signing-'));
  folders.push(made);
  return made;
}
