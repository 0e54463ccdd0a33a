import { dataDirOf } from '@ledgerline/platform/config/runtime-file';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Backups1795999500000 } from '@ledgerline/platform/database/migrations/1795999500000-backups';
import { run } from '@ledgerline/platform/database/pool';
import { type Sql, sql } from '@ledgerline/platform/database/sql';
import { Client } from 'pg';
import { writePrivately } from '@ledgerline/platform/config/private-file';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openInstallation, type Installation } from '../migrate-store/installation';
import { loadSecrets, secretsFile } from '../supervisor/secrets';
import { passphraseIn, readKeys, writeKeys } from './keys-file';
import { restoreBackup } from './restore-backup';
import { megabytes, writeBackup } from './write-backup';

export const BACKUP_USAGE = `Usage: npm run backup -- FOLDER [--since FOLDER] [--with-keys FILE] [--verify]

Writes both logs, accounts and all that is signed, of one moment, to a new folder, while the product goes on. Read models
are not in it: a restored installation fills them from the logs. Works on DATABASE_URL, else on DATA_DIR.

  --since FOLDER    a backup of before: what is as it was then is linked, and of the logs only what is new is written.
                    Each folder stays whole, also when the other one is deleted
  --with-keys FILE  also writes what the backup leaves out to a file that BACKUP_PASSPHRASE encrypts: the keys of names
                    and private content, salts of visitor ids, and the secrets of DATA_DIR. Keep it elsewhere.
  --verify          restores the backup into a temporary place afterwards, and compares both logs`;

export const RESTORE_USAGE = `Usage: npm run restore -- FOLDER [--with-keys FILE | --verify]

Fills an empty database (DATABASE_URL), or a new DATA_DIR, from a backup. The next start fills the read models.

  --with-keys FILE  restores keys, salts and secrets, too, from a file that BACKUP_PASSPHRASE decrypts
  --verify          restores it into a temporary place only, and compares both logs`;

/** Said after a restore without the file of keys. */
const WITHOUT_KEYS = `Without a file of keys these are lost: names and e-mail addresses of profiles, private views, and ids
of visitors that last. If secrets.json (AUTH_SECRET, KEY_PEPPER, AUDIT_SIGNING_KEY) is another one, API keys are refused,
and the log has to be signed anew: npm run audit -- heads --restart`;

const REPEAT = 'request those erasures again, and set those retentions.';

interface Context {
  readonly variables: Readonly<NodeJS.ProcessEnv>;
  readonly print: (line: string) => void;
}

/** @throws StartFailure */
export async function backup(args: readonly string[], context: Context): Promise<void> {
  const { folder, since, keysFile, isVerified } = read(args, BACKUP_USAGE);
  const { variables, print } = context;
  const passphrase = keysFile === undefined ? '' : passphraseIn(variables);
  await withInstallation(context, async ({ databaseUrl, eventStoreUrl }) => {
    if (eventStoreUrl !== undefined)
      throw new StartFailure('Decided events are in an EventStoreDB, which has its own backup; see docs/operating.md.');
    const started = performance.now();
    const { files, at, migrations } = await writeBackup({
      databaseUrl,
      folder,
      since,
      print,
      ...(keysFile === undefined
        ? {}
        : { onKeys: (tables) => writeKeys(keysFile, passphrase, { secrets: secretsOf(variables), tables }) }),
    });
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const seconds = (performance.now() - started) / 1_000;
    print(`The backup of ${at} is in ${folder}: ${megabytes(bytes)}, written in ${seconds.toFixed(1)} s.`);
    const isNoted = migrations.includes(Backups1795999500000.name); // not yet before an upgrade
    const note = async (statement: Sql) => {
      if (isNoted) await runOn(databaseUrl, statement);
    };
    await note(sql`insert into backups (at, bytes) values (${at}, ${bytes}) on conflict do nothing`);
    if (!isVerified) return;
    await verify(folder, context);
    await note(sql`update backups set verified_at = now() where at = ${at}`);
  });
}

/** @throws StartFailure */
export async function restore(args: readonly string[], context: Context): Promise<void> {
  const { folder, since, keysFile, isVerified } = read(args, RESTORE_USAGE);
  if (since !== undefined) throw new StartFailure(`--since is of backups.\n\n${RESTORE_USAGE}`);
  if (isVerified) return verify(folder, context);
  const { variables, print } = context;
  const keys = keysFile === undefined ? undefined : readKeys(keysFile, passphraseIn(variables));
  const dataDir = embeddedDirOf(variables);
  if (dataDir !== undefined && !existsSync(secretsFile(dataDir))) {
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
    loadSecrets(dataDir);
  }
  await withInstallation(context, async ({ databaseUrl, isRunning }) => {
    if (isRunning) throw new StartFailure('The installation is running; a backup is restored into an empty one.');
    const onRestored = () => {
      if (dataDir !== undefined && keys?.secrets)
        writePrivately(secretsFile(dataDir), { ...loadSecrets(dataDir), ...keys.secrets });
    };
    const { at, version } = await restoreBackup({ databaseUrl, folder, print, keys: keys?.tables, onRestored });
    print(`Restored the backup of ${at}, made by version ${version}. The next start fills the read models.`);
    print(`Not in it is what was decided later, erasures and retentions among it: ${REPEAT}`);
    if (!keys) print(WITHOUT_KEYS);
  });
}

function read(args: readonly string[], usage: string) {
  try {
    const options = {
      since: { type: 'string' },
      'with-keys': { type: 'string' },
      verify: { type: 'boolean' },
    } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [folder, more] = positionals;
    if (folder === undefined || more !== undefined) throw new Error('Name one folder.');
    const { since, verify: isVerified = false, 'with-keys': keysFile } = values;
    return { folder, since, keysFile, isVerified };
  } catch (error) {
    throw new StartFailure(`${(error as Error).message}\n\n${usage}`);
  }
}

/** Restores into a temporary place, which is removed. @throws StartFailure unless both logs are what was backed up */
async function verify(folder: string, { print }: Context): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ledgerline-verify-'));
  chmodSync(dataDir, 0o711);
  try {
    loadSecrets(dataDir);
    const temporary = { variables: { DATA_DIR: dataDir }, print: () => undefined };
    const { files, heads } = await withInstallation(temporary, ({ databaseUrl }) =>
      restoreBackup({ databaseUrl, folder, print: () => undefined }),
    );
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    print(`Verified: ${rows} rows of ${files.length} tables; the event store ends at position ${heads.position}.`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function runOn(databaseUrl: string, statement: Sql): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'backup' });
  await client.connect();
  try {
    await run(client, statement);
  } finally {
    await client.end();
  }
}

async function withInstallation<T>(
  { variables, print }: Context,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const installation = await openInstallation(variables, print);
  try {
    return await work(installation);
  } finally {
    await installation.close();
  }
}

/** Undefined for a database that is not embedded. */
const embeddedDirOf = (variables: Readonly<NodeJS.ProcessEnv>): string | undefined =>
  variables.DATABASE_URL?.trim() ? undefined : dataDirOf(variables);

function secretsOf(variables: Readonly<NodeJS.ProcessEnv>) {
  const dataDir = embeddedDirOf(variables);
  if (dataDir === undefined) return undefined;
  const { postgresPassword: _, ...secrets } = loadSecrets(dataDir);
  return secrets;
}
