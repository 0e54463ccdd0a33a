import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { sealHistoryAnew } from '@ledgerline/engines/event-store.factory';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner, readTrustedKeys } from '@ledgerline/platform/event-store/head-signer';
import { type PublicKeys, keyIdOf, publicKeysOf } from '@ledgerline/platform/event-store/head-statement';
import type { Installation } from '../migrate-store/installation';
import { exportHistory } from './export-file';
import { ChangedProof, pemOf, readKeptHead, readPublicKeyFile, unreadable } from './kept-proofs';
import { resealAll, resealHistory, resealInPostgres } from './reseal-history';
import { acknowledge, readNewKey, rotateKey, statementsOf } from './rotate-key';
import { describeVerdict, isProven, verifyFile } from './verify-file';
import { describeIntakeVerdict, printIntakeHeads, verifyIntake, withEventStore } from './verify-intake';
import { describeStream, verifyStream } from './verify-stream';

export const AUDIT_USAGE = `Usage: npm run audit -- verify FILE [--public-key FILE]… [--head FILE]…
       npm run audit -- verify --stream FILE [--public-key FILE]… [--head FILE]…
       npm run audit -- verify --intake [--public-key FILE]… [--heads FILE]…
       npm run --silent audit -- heads [--restart] > FILE
       npm run --silent audit -- export --organization ID > FILE
       npm run --silent audit -- public-keys > FILE
       npm run audit -- rotate --to FILE
       npm run audit -- acknowledge
       npm run audit -- reseal --organization ID --reason TEXT
       npm run audit -- reseal --all --reason TEXT

verify FILE      proves an export of the audit log (NDJSON), or names the first place that is not what was recorded.
                 Needs no installation and no network.
  --public-key   PEM file with the public keys of the installation; without it, nothing is proven
  --head         an answer of GET /v1/audit-log/verify that was kept; the history must run through it
verify --stream  the same of what an audit stream has sent, as it was stored: all requests, one after the other
verify --intake  proves that the installation's intake log runs through the heads that were signed last, or names the
                 first segment that is wrong
  --public-key   trusts these keys instead of those in the database
  --heads        what "heads" has printed and was kept; the log must run through it too
heads            prints the signed heads of the intake log
  --restart      first signs the log as it is, whatever was signed before: after it was restored from a backup
export           prints the history of an organization; records the export in it
public-keys      prints the public keys that the installation has signed with
rotate           replaces the signing key: with the product stopped and AUDIT_SIGNING_KEY still the present one, has the
                 new key sign which one it replaces; on the machine of each projector that remembers signed heads
  --to           file with the new key, as AUDIT_SIGNING_KEY will hold it
acknowledge      has what was signed count as the database holds it: for a projector on a new machine or disk
reseal           seals the history of an organization as it is now, where it is not what was sealed; the reason and the
                 head that was lost are recorded in it
  --all          where the signed heads themselves are not those that were made: after Postgres was restored

Exit code: 0 = valid or done, 1 = the command failed, 2 = not valid, 3 = consistent, but not proven, or
no event is shown.`;

const NOT_VALID = 2;
const NOT_PROVEN = 3;

/** By command; "verify" with a file is a command of its own. */
const ALLOWED_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'verify FILE': ['public-key', 'head', 'stream'],
  verify: ['intake', 'public-key', 'heads'],
  heads: ['restart'],
  export: ['organization'],
  'public-keys': [],
  acknowledge: [],
  rotate: ['to'],
  reseal: ['organization', 'reason', 'all'],
};

interface AuditTools {
  readonly open: () => Promise<Installation>;
  readonly output: NodeJS.WritableStream;
}

/** Answers the exit code. @throws StartFailure */
export async function audit(args: readonly string[], tools: AuditTools): Promise<number> {
  try {
    return await runCommand(args, tools);
  } catch (error) {
    if (!(error instanceof ChangedProof)) throw error;
    tools.output.write(`NOT VALID: ${error.message}\n`);
    return NOT_VALID;
  }
}

async function runCommand(args: readonly string[], { open, output }: AuditTools): Promise<number> {
  const { positionals, values } = readArguments(args);
  const [command, file, ...more] = positionals;
  const isOfFile = command === 'verify' && file !== undefined && !values.intake;
  const allowed = ALLOWED_OPTIONS[isOfFile ? 'verify FILE' : (command ?? '')] ?? Object.keys(values);
  const isTooMuch = more.length > 0 || (file !== undefined && !isOfFile);
  if (isTooMuch || Object.keys(values).some((name) => !allowed.includes(name)))
    throw new StartFailure(`These arguments do not go together; verify takes one file.\n\n${AUDIT_USAGE}`);
  if (isOfFile) return verify(file, values, output);
  const work = commandOn(command, values, output);
  const installation = await open();
  try {
    return await work(installation);
  } finally {
    await installation.close();
  }
}

type Values = ReturnType<typeof readArguments>['values'];
type Work = (installation: Installation) => Promise<number>;

function readArguments(args: readonly string[]) {
  const many = { type: 'string', multiple: true } as const;
  const options = {
    'public-key': many,
    head: many,
    heads: many,
    restart: { type: 'boolean' },
    organization: { type: 'string' },
    reason: { type: 'string' },
    to: { type: 'string' },
    all: { type: 'boolean' },
    intake: { type: 'boolean' },
    stream: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new StartFailure(`${error instanceof Error ? error.message : String(error)}\n\n${AUDIT_USAGE}`);
  }
}

async function verify(file: string, values: Values, output: NodeJS.WritableStream): Promise<number> {
  const keys = givenKeys(values);
  const heads = (values.head ?? []).map((path) => readKeptHead(path, keys));
  if (values.stream) {
    const found = await verifyStream(file, { keys, heads }).catch(unreadable(file));
    output.write(`${describeStream(file, found)}\n`);
    if (found.fault) return NOT_VALID;
    return found.signedTo === undefined ? NOT_PROVEN : 0;
  }
  const verdict = await verifyFile(file, { keys, heads }).catch(unreadable(file));
  const organization = verdict.head?.organization;
  if (organization !== undefined && heads.some((head) => head.organization !== organization))
    throw new StartFailure(`${file} is the history of ${organization}, and a head is one of another organization.`);
  output.write(`${describeVerdict(file, verdict)}\n`);
  if (verdict.fault) return NOT_VALID;
  return isProven(verdict) ? 0 : NOT_PROVEN;
}

const givenKeys = (values: Values): PublicKeys =>
  publicKeysOf(...(values['public-key'] ?? []).flatMap(readPublicKeyFile));

/** The work of each command on an installation; undefined where it lacks arguments. */
const COMMANDS: Readonly<Record<string, (values: Values, output: NodeJS.WritableStream) => Work | undefined>> = {
  verify: ({ intake = false, heads: files = [], ...values }, output) => {
    if (!intake) return undefined;
    const keys = givenKeys(values);
    return async (installation) => {
      const verdict = await verifyIntake(installation, { files, keys });
      output.write(`${describeIntakeVerdict(verdict)}\n`);
      if (!verdict.valid) return NOT_VALID;
      return verdict.signed ? 0 : NOT_PROVEN;
    };
  },
  heads:
    ({ restart = false }, output) =>
    async (installation) => {
      await printIntakeHeads(installation, restart, output);
      return 0;
    },
  export: ({ organization }, output) =>
    organization === undefined
      ? undefined
      : (installation) =>
          withSigner(installation, async (store, signer) => {
            await exportHistory(store, signer, organization, output);
            return 0;
          }),
  reseal: ({ organization, reason = '', all = false }, output) => {
    const isOfOneOrAll = (organization !== undefined) !== all;
    if (!isOfOneOrAll || reason.trim() === '') return undefined;
    return (installation) => reseal(installation, { organization, reason: reason.trim() }, output);
  },
  rotate: ({ to }, output) => {
    if (to === undefined) return undefined;
    const key = readNewKey(to);
    return (installation) =>
      withSigner(installation, async (store, _, pool) => {
        const keyId = await rotateKey(installation, { store, pool }, key);
        output.write(
          `Key ${keyId} vouches for ${keyIdOf(installation.signingKey)}: now set AUDIT_SIGNING_KEY to it.\n`,
        );
        return 0;
      });
  },
  acknowledge: (_, output) => (installation) =>
    withSigner(installation, async (store, __, pool) => {
      const number = await acknowledge(installation, { store, pool });
      output.write(`The signed statements up to number ${number} are acknowledged.\n`);
      return 0;
    }),
  'public-keys': (_, output) => (installation) =>
    withSigner(installation, async (_store, __, pool) => {
      const keys = (await readTrustedKeys(pool, installation.signingKey))(0);
      output.write([...keys.values()].map(pemOf).join(''));
      return 0;
    }),
};

/** @throws StartFailure where the arguments name no command */
function commandOn(command = '', values: Values, output: NodeJS.WritableStream): Work {
  const work = Object.hasOwn(COMMANDS, command) ? COMMANDS[command]?.(values, output) : undefined;
  if (!work) throw new StartFailure(AUDIT_USAGE);
  return work;
}

function reseal(
  installation: Installation,
  { organization, reason }: { readonly organization: string | undefined; readonly reason: string },
  output: NodeJS.WritableStream,
): Promise<number> {
  const { eventStoreUrl, signingKey: key, statementFile } = installation;
  return withSigner(installation, async (store, signer, pool) => {
    const audited = { store, signer, reason, pool, statements: statementsOf(installation, { store, pool }) };
    const seal = { key, database: pool, statementFile };
    if (organization === undefined) {
      const sealEach =
        eventStoreUrl === undefined
          ? undefined
          : (id: string, command: string) => sealHistoryAnew(eventStoreUrl, id, seal, () => Promise.resolve(command));
      output.write(
        `The histories of ${await resealAll(audited, sealEach)} organizations are signed as they are now.\n`,
      );
      return 0;
    }
    const { revision } =
      eventStoreUrl === undefined
        ? await resealInPostgres(audited, organization)
        : await resealHistory(audited, organization, (record) =>
            sealHistoryAnew(eventStoreUrl, organization, seal, record),
          );
    output.write(`Places 0 to ${revision} of ${organization} are sealed as they are now.\n`);
    return 0;
  });
}

async function withSigner(
  installation: Installation,
  work: (store: EventStore, signer: HeadSigner, pool: Pool) => Promise<number>,
): Promise<number> {
  const pool = openPool({ url: installation.databaseUrl, name: 'audit', max: 1 });
  try {
    return await withEventStore(installation, (store) =>
      work(store, new HeadSigner(store, pool, installation.signingKey), pool),
    );
  } finally {
    await pool.end();
  }
}
