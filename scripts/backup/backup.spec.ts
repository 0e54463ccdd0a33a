import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrateReadStore } from '@ledgerline/platform/database/migrate';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { readLastBackup } from '@ledgerline/platform/processes/backups';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { sealing } from '@test/event-store/laws/harness';
import { customEvent } from '@test/events/observed-events';
import { startProduct, type RunningProduct } from '@test/journeys/running-product';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { backup, restore } from './backup-command';
import { KEY_TABLES, tableNameSql, READ_STORE_TABLES, readBackupTables } from './backup-tables';
import { manifestPath, readManifest } from './manifest';
import { writeBackup } from './write-backup';

const PASSPHRASE = 'correct horse battery';
const AUDIT_SIGNING_KEY = sealing.key.export({ format: 'pem', type: 'pkcs8' }) as string;

describe('backup and restore', () => {
  it('restores what was there at one moment, with its keys, while events go on', async () => {
    let sending: Promise<void> | undefined;
    const print = () => void (sending ??= product.projector.send(owner.websiteId, some(50, 1_000)));
    const before = await contents(product.api.settings.databaseUrl);
    await backup([folder, '--with-keys', keysFile], context(product.api.settings.databaseUrl, print));
    await sending;
    const pool = openPool({ url: product.api.settings.databaseUrl, name: 'spec', max: 1 });
    expect(await readLastBackup(pool)).toEqual({ at: readManifest(folder).at, verifiedAt: null });
    await pool.end();
    await restore([folder, '--with-keys', keysFile], context(empty.url));
    const restored = await contents(empty.url);
    expect(without(restored, OF_HISTORY)).toEqual(without(before, OF_HISTORY));
    const added = restored['public.events']?.filter((row) => !before['public.events']?.includes(row));
    expect(added).toMatchObject([expect.stringContaining('Restored from the backup of') as string]);
    expect(restored['public.events']?.length).toBe((before['public.events']?.length ?? 0) + 1);
    expect(before['public.events']?.length).toBeGreaterThan(1);
    expect(before['public.intake_segments']?.length).toBeGreaterThan(0);
    expect(before['public.subject_keys']?.length).toBeGreaterThan(0);
  });

  it('has no keys of personal data without --with-keys, and no sign-ins', async () => {
    await backup([folder], context(product.api.settings.databaseUrl));
    expect(readdirSync(folder).filter((file) => KEY_TABLES.some((name) => file.includes(name)))).toEqual([]);
    expect(readdirSync(folder).filter((file) => /auth\.(session|verification)/.test(file))).toEqual([]);
    const said: string[] = [];
    await restore(
      [folder],
      context(empty.url, (line) => said.push(line)),
    );
    expect(said.at(-1)).toMatch(/^Without a file of keys these are lost/);
    expect(said.at(-2)).toContain('Nothing was given that was decided after it (--erasures)');
    const { 'public.subject_keys': keys, 'auth.user': users } = await contents(empty.url);
    expect(keys).toEqual([]);
    expect(users).toHaveLength(1);
  });

  it('is a tar archive on standard output for -', async () => {
    const output = createWriteStream(join(place, 'archive.tar'));
    await backup(['-'], { ...context(product.api.settings.databaseUrl), output });
    output.end();
    await once(output, 'close');
    mkdirSync(folder);
    execFileSync('tar', ['--extract', '--file', join(place, 'archive.tar'), '--directory', folder]);
    await restore([folder], context(empty.url));
    const restored = await contents(empty.url);
    const { 'public.intake_segments': segments } = await contents(product.api.settings.databaseUrl);
    expect(restored['public.intake_segments']).toEqual(segments);
  });

  it('links what is as it was in an earlier backup, and of the logs writes what is new', async () => {
    const { databaseUrl } = product.api.settings;
    const later = join(place, 'later');
    await backup([folder], context(databaseUrl));
    await product.projector.send(owner.websiteId, some(10, 5_000));
    await backup([later, '--since', folder], context(databaseUrl));
    const segments = readManifest(later).files.filter(({ name }) => name === 'intake_segments');
    expect(segments.map(({ file }) => file)).toEqual([
      'public.intake_segments.copy.gz',
      'public.intake_segments.1.copy.gz',
    ]);
    const isLinked = (file: string) => statSync(join(later, file)).ino === statSync(join(folder, file)).ino;
    expect(['public.intake_segments.copy.gz', 'public.events.copy.gz', 'auth.user.copy.gz'].map(isLinked)).toEqual([
      true,
      true,
      true,
    ]);
    rmSync(folder, { recursive: true });
    await restore([later], context(empty.url));
    const found = await contents(empty.url);
    const expected = await contents(databaseUrl);
    for (const name of ['public.intake_segments', 'public.intake_heads']) expect(found[name]).toEqual(expected[name]);
    expect(found['public.events']).toEqual(expect.arrayContaining([...(expected['public.events'] ?? [])]));
    const third = join(place, 'third');
    const pool = openPool({ url: databaseUrl, name: 'spec', max: 1 });
    const change = (sign: 1 | -1) =>
      run(
        pool,
        sql`update intake_segments set recorded_at = recorded_at + ${sign} * interval '1 s' where first_offset = 0`,
      );
    await change(1);
    await backup([third, '--since', later], context(databaseUrl));
    expect(readManifest(third).files.filter(({ name }) => name === 'intake_segments')).toHaveLength(1);
    await change(-1);
    await pool.end();
  });

  it('refuses a folder in use, a database in use, and a passphrase that is short or another', async () => {
    const { databaseUrl } = product.api.settings;
    mkdirSync(folder); // an empty one is taken
    await backup([folder, '--with-keys', keysFile], context(databaseUrl));
    await expect(backup([folder], context(databaseUrl))).rejects.toThrow('is not empty');
    await expect(restore([folder], context(databaseUrl))).rejects.toThrow('The database is in use');
    const withPassphrase = (passphrase: string) =>
      restore([folder, '--with-keys', keysFile], {
        ...context(empty.url),
        variables: { DATABASE_URL: empty.url, BACKUP_PASSPHRASE: passphrase, AUDIT_SIGNING_KEY },
      });
    await expect(withPassphrase('short')).rejects.toThrow('at least 12 characters');
    await expect(withPassphrase('another one of these')).rejects.toThrow('BACKUP_PASSPHRASE is another one');
    for (const args of [[], ['a', 'b'], ['a', '--what']])
      await expect(backup(args, context(databaseUrl))).rejects.toThrow('Usage: npm run backup');
  });

  it('restores nothing of a backup that was changed, is incomplete, or is newer', async () => {
    await backup([folder], context(product.api.settings.databaseUrl));
    const manifest = readManifest(folder);
    const file = join(folder, 'public.events.copy.gz');
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, -1));
    await expect(restore([folder], context(empty.url))).rejects.toThrow('public.events.copy.gz is not what was backed');
    rmSync(file);
    await expect(restore([folder], context(empty.url))).rejects.toThrow(
      'public.events.copy.gz of the backup cannot be',
    );
    writeFileSync(file, whole);
    const write = (changed: object) => writeFileSync(manifestPath(folder), JSON.stringify({ ...manifest, ...changed }));
    write({ heads: { ...manifest.heads, position: 1 } });
    await expect(restore([folder], context(empty.url))).rejects.toThrow('end elsewhere');
    expect((await contents(empty.url))['public.events']).toEqual([]);
    write({ migrations: [...manifest.migrations, 'Later1999999999999'], version: '9.0.0' });
    await expect(restore([folder], context(empty.url))).rejects.toThrow('made by version 9.0.0, which is newer');
    write({ format: 2 });
    await expect(restore([folder], context(empty.url))).rejects.toThrow('a format that this version does not know');
    rmSync(manifestPath(folder));
    await expect(restore([folder], context(empty.url))).rejects.toThrow('has no complete backup');
  });

  it('leaves nothing of one that failed, and begins anew after one that was killed', async () => {
    const { databaseUrl } = product.api.settings;
    const print = () => {
      throw new Error('stopped');
    };
    await expect(writeBackup({ databaseUrl, folder, print })).rejects.toThrow('stopped');
    expect(existsSync(`${folder}.partial`) || existsSync(folder)).toBe(false);
    mkdirSync(`${folder}.partial`);
    writeFileSync(join(`${folder}.partial`, 'public.gone.copy.gz'), '');
    await backup([folder], context(databaseUrl));
    expect(readdirSync(folder)).not.toContain('public.gone.copy.gz');
  });

  it('knows the tables of a read store', async () => {
    await migrateReadStore(empty.url);
    const pool = openPool({ url: empty.url, name: 'spec', max: 1 });
    const tables = await run<{ name: string }>(
      pool,
      sql`select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations'`,
    );
    await pool.end();
    expect(tables.map(({ name }) => name).sort()).toEqual([...READ_STORE_TABLES].sort());
  });

  let product: RunningProduct;
  let owner: Owner;
  let empty: TestDatabase;
  let place: string;
  let folder: string;
  let keysFile: string;

  /** The tables that the event of a restore changes. */
  const OF_HISTORY = ['events', 'streams', 'organization_chains', 'event_store_head'].map((name) => `public.${name}`);
  const without = (tables: Awaited<ReturnType<typeof contents>>, names: readonly string[]) =>
    Object.fromEntries(Object.entries(tables).filter(([name]) => !names.includes(name)));

  const some = (count: number, from: number) =>
    Array.from({ length: count }, (_, n) => customEvent(owner.websiteId, from + n));

  const context = (url: string, print: (line: string) => void = () => undefined) => ({
    variables: { DATABASE_URL: url, BACKUP_PASSPHRASE: PASSPHRASE, AUDIT_SIGNING_KEY },
    print,
  });

  beforeAll(async () => {
    product = await startProduct();
    owner = await ownerWithWebsite(product.api);
    await product.projector.send(owner.websiteId, some(100, 0));
  });
  afterAll(() => product.close());
  beforeEach(async () => {
    empty = await createTestDatabase({ migrated: false });
    place = mkdtempSync(join(tmpdir(), 'ledgerline-backup-'));
    folder = join(place, 'backup');
    keysFile = join(place, 'keys.json');
  });
  afterEach(async () => {
    await empty.drop();
    rmSync(place, { recursive: true, force: true });
  });

  /** The rows of all tables that a backup has, sign-ins apart, as text. */
  async function contents(url: string): Promise<Readonly<Record<string, readonly string[]>>> {
    const client = new Client({ connectionString: url });
    await client.connect();
    const tables = await readBackupTables(client);
    const found: Record<string, readonly string[]> = {};
    for (const table of tables) {
      const { rows } = await client.query<{ row: string }>(
        `select t::text as row from ${tableNameSql(table)} t order by 1`,
      );
      found[`${table.schema}.${table.name}`] = rows.map(({ row }) => row);
    }
    await client.end();
    return found;
  }
});
