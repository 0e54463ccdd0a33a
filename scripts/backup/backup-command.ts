import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { Client } from 'pg';
import { writePrivately } from '@ledgerline/platform/config/private-file';
import { dataDirOf } from '@ledgerline/platform/config/runtime-file';
import { errorMessage, StartFailure } from '@ledgerline/platform/config/start-failure';
import { Backups1795999500000 } from '@ledgerline/platform/database/migrations/1795999500000-backups';
import { run } from '@ledgerline/platform/database/pool';
import { type Sql, sql } from '@ledgerline/platform/database/sql';
import { withEventStore } from '../audit/verify-intake';
import { openInstallation, type Installation } from '../migrate-store/installation';
import { loadSecrets, secretsFile } from '../supervisor/secrets';
import { passphraseIn, readKeys, writeKeys } from './keys-file';
import { writeDecisions } from './later-decisions';
import type { Replayed } from './replay-decisions';
import { restoreBackup } from './restore-backup';
import { megabytes, writeBackup } from './write-backup';

export const BACKUP_USAGE = `Usage: npm run backup -- FOLDER [--since FOLDER] [--with-keys FILE] [--verify]
       npm run --silent backup -- - [--with-keys FILE] [--verify] > FILE.tar
       npm run backup -- --erasures FILE

Writes both logs, accounts and all that is signed, of one moment, to a new folder, while the product goes on. Read models
are not in it: a restored installation fills them from the logs. Works on DATABASE_URL, else on DATA_DIR.

  -                 writes the folder to standard output, as a tar archive
  --since FOLDER    a backup of before: what is as it was then is linked, and of the logs only what is new is written.
                    Each folder stays whole, also when the other one is deleted
  --with-keys FILE  also writes what the backup leaves out to a file that BACKUP_PASSPHRASE encrypts: the keys of names
                    and private content, salts of visitor ids, and the secrets of DATA_DIR. Keep it elsewhere.
  --verify          restores the backup into a temporary place afterwards, and compares both logs
  --erasures FILE   writes only what was decided to be gone, erasures and retentions, for a restore of an older backup`;

export const RESTORE_USAGE = `Usage: npm run restore -- FOLDER [--with-keys FILE] [--erasures FILE|FOLDER]…
       npm run restore -- FOLDER --verify

Fills an empty database (DATABASE_URL), or a new DATA_DIR, from a backup. The next start fills the read models.

  --with-keys FILE  restores keys, salts and secrets, too, from a file that BACKUP_PASSPHRASE decrypts
  --erasures        carries out what was decided after the backup, before anything is served: from a file that
                    "npm run backup -- --erasures" wrote, an export of an audit log (NDJSON), or the folder of a newer
                    backup; it may be given several times
  --verify          restores it into a temporary place only, and compares both logs`;

/** Said after a restore without the file of keys. */
const WITHOUT_KEYS = `Without a file of keys these are lost: names and e-mail addresses of profiles, private views, and ids
of visitors that last. If secrets.json (AUTH_SECRET, KEY_PEPPER, AUDIT_SIGNING_KEY) is another one, API keys are refused,
and the log has to be signed anew: npm run audit -- heads --restart`;

const NOTHING_GIVEN = `Nothing was given that was decided after it (--erasures): who was erased since is in it again, until that is requested
again, and websites keep hits as long as they did then.`;

interface Context {
  readonly variables: Readonly<NodeJS.ProcessEnv>;
  readonly print: (line: string) => void;
  /** The destination of a backup without a folder; standard output by default. */
  readonly output?: Writable;
}

/** @throws StartFailure */
export async function backup(args: readonly string[], context: Context): Promise<void> {
  const { positionals, values } = read(args, BACKUP_OPTIONS, BACKUP_USAGE);
  const { erasures, ...others } = values;
  if (erasures !== undefined && positionals.length + Object.keys(others).length === 0) return list(erasures, context);
  if (erasures !== undefined) throw new StartFailure(`--erasures goes with nothing else.\n\n${BACKUP_USAGE}`);
  const folder = onlyFolder(positionals, BACKUP_USAGE);
  return folder === '-' ? backUpToOutput(values, context) : backUpTo(folder, values, context);
}

interface BackupValues {
  readonly since?: string;
  readonly 'with-keys'?: string;
  readonly verify?: boolean;
}

/** Writes a backup as a tar archive, and what it says to where errors go. */
async function backUpToOutput(values: BackupValues, { variables, output = process.stdout }: Context): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'ledgerline-backup-'));
  const folder = join(place, 'backup');
  try {
    await backUpTo(folder, values, { variables, print: (line) => void process.stderr.write(`${line}\n`) });
    const tar = spawn('tar', ['--create', '--file', '-', '--directory', folder, '.'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = new Promise<number | null>((resolve, reject) => tar.once('error', reject).once('close', resolve));
    const [code] = await Promise.all([closed, pipeline(tar.stdout, output, { end: false })]);
    if (code !== 0) throw new StartFailure(`tar ended with ${code}: the archive is not whole.`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function backUpTo(
  folder: string,
  { since, 'with-keys': keysFile, verify: isVerified }: BackupValues,
  context: Context,
): Promise<void> {
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

/** Writes what was decided to be gone. */
const list = (file: string, context: Context): Promise<void> =>
  withInstallation(context, async (installation) => {
    const count = await withEventStore(installation, (store) => writeDecisions(store, file));
    context.print(`${count} decisions are in ${file}, for "npm run restore -- FOLDER --erasures ${file}".`);
  });

/** @throws StartFailure */
export async function restore(args: readonly string[], context: Context): Promise<void> {
  const { positionals, values } = read(args, RESTORE_OPTIONS, RESTORE_USAGE);
  const { 'with-keys': keysFile, erasures = [], verify: isVerified = false } = values;
  const folder = onlyFolder(positionals, RESTORE_USAGE);
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
    const order = { databaseUrl, folder, print, keys: keys?.tables, decisions: erasures, onRestored };
    const { manifest, replayed } = await restoreBackup(order);
    const { at, version } = manifest;
    print(`Restored the backup of ${at}, made by version ${version}. The next start fills the read models.`);
    print(erasures.length > 0 && replayed ? replayedOf(replayed) : NOTHING_GIVEN);
    if (!keys) print(WITHOUT_KEYS);
  });
}

function replayedOf({ erasures, retentions, lastOwners }: Replayed): string {
  const carriedOut = `Carried out what was decided after it: erasures: ${erasures}; changed retentions: ${retentions}.`;
  if (lastOwners.length === 0) return carriedOut;
  return `${carriedOut} The accounts of ${lastOwners.join(', ')} stay, as these people are the last owners of organizations
here: make others owners, and erase them again.`;
}

const BACKUP_OPTIONS = {
  since: { type: 'string' },
  'with-keys': { type: 'string' },
  verify: { type: 'boolean' },
  erasures: { type: 'string' },
} as const;

const RESTORE_OPTIONS = {
  'with-keys': { type: 'string' },
  verify: { type: 'boolean' },
  erasures: { type: 'string', multiple: true },
} as const;

function read<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new StartFailure(`${errorMessage(error)}\n\n${usage}`);
  }
}

function onlyFolder([folder, more]: readonly string[], usage: string): string {
  if (folder === undefined || more !== undefined) throw new StartFailure(`Name one folder.\n\n${usage}`);
  return folder;
}

/** Restores into a temporary place, which is removed. @throws StartFailure unless both logs are what was backed up */
async function verify(folder: string, { print }: Context): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ledgerline-verify-'));
  chmodSync(dataDir, 0o711);
  try {
    loadSecrets(dataDir);
    const temporary = { variables: { DATA_DIR: dataDir }, print: () => undefined };
    const { manifest } = await withInstallation(temporary, ({ databaseUrl }) =>
      restoreBackup({ databaseUrl, folder, print: () => undefined }),
    );
    const { files, heads } = manifest;
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
