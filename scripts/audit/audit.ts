import { parseArgs } from 'node:util';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { openEventStore } from '@ledgerline/platform/event-store/event-store.factory';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { publicKeysOf } from '@ledgerline/platform/event-store/signed-head';
import type { Installation } from '../migrate-store/installation';
import { describeVerdict } from './describe-verdict';
import { exportHistory } from './export-history';
import { pemOf, readKeptHead, readPublicKeys, unreadable } from './kept-proofs';
import { isValid, verifyFile } from './verify-file';
import { describeIntakeVerdict, verifyIntake } from './verify-intake';

export const USAGE = `Usage: npm run audit -- verify FILE [--public-key FILE]… [--head FILE]…
       npm run audit -- verify --intake
       npm run --silent audit -- export --organization ID > FILE
       npm run --silent audit -- public-keys > FILE

verify FILE      proves an export of the audit log (NDJSON), or names the first place that is not what was recorded.
                 Needs no installation and no network.
  --public-key   PEM file with the public keys of the installation; without it, the signature is not checked
  --head         an answer of GET /v1/audit-log/verify that was kept; the history must run through it
verify --intake  proves the hash chains of the installation's intake log, or names the first segment that is wrong
export           prints the history of an organization; records the export in it
public-keys      prints the public keys that the installation has signed with

Exit code: 0 = valid or done, 1 = the command failed, 2 = not valid.`;

const NOT_VALID = 2;

export interface AuditTools {
  readonly open: () => Promise<Installation>;
  readonly output: NodeJS.WritableStream;
}

/** Answers the exit code. @throws StartFailure */
export async function audit(args: readonly string[], { open, output }: AuditTools): Promise<number> {
  const { positionals, values } = readArguments(args);
  const [command, file, ...more] = positionals;
  const { organization, intake, 'public-key': keys, head } = values;
  const isOfFile = command === 'verify' && file !== undefined && !intake;
  const isTooMuch = isOfFile
    ? organization !== undefined
    : file !== undefined || keys !== undefined || head !== undefined;
  if (isTooMuch || more.length > 0 || (intake && command !== 'verify'))
    throw new StartFailure(`These arguments do not go together; verify takes one file.\n\n${USAGE}`);
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
    organization: { type: 'string' },
    intake: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new StartFailure(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

async function verify(file: string, values: Values, output: NodeJS.WritableStream): Promise<number> {
  const keys = publicKeysOf(...(values['public-key'] ?? []).flatMap(readPublicKeys));
  const heads = (values.head ?? []).map((path) => readKeptHead(path, keys));
  const verdict = await verifyFile(file, { keys, heads }).catch(unreadable(file));
  const organization = verdict.head?.organization;
  if (organization !== undefined && heads.some((head) => head.organization !== organization))
    throw new StartFailure(`${file} is the history of ${organization}, and a head is one of another organization.`);
  output.write(`${describeVerdict(file, verdict)}\n`);
  return isValid(verdict) ? 0 : NOT_VALID;
}

/** @throws StartFailure where the arguments name no command */
function commandOn(command: string | undefined, values: Values, output: NodeJS.WritableStream): Work {
  const { organization, intake = false } = values;
  if (command === 'verify' && intake)
    return async ({ databaseUrl }) => {
      const verdict = await verifyIntake(databaseUrl);
      output.write(`${describeIntakeVerdict(verdict)}\n`);
      return verdict.valid ? 0 : NOT_VALID;
    };
  if (command === 'export' && organization !== undefined)
    return (installation) =>
      withSigner(installation, async (store, signer) => {
        await exportHistory(store, signer, organization, output);
        return 0;
      });
  if (command === 'public-keys')
    return (installation) =>
      withSigner(installation, async (_, signer) => {
        output.write([...(await signer.publicKeys()).values()].map(pemOf).join(''));
        return 0;
      });
  throw new StartFailure(USAGE);
}

async function withSigner(
  { databaseUrl, eventStoreUrl, signingKey }: Installation,
  work: (store: EventStore, signer: HeadSigner) => Promise<number>,
): Promise<number> {
  const store = await openEventStore({ databaseUrl, eventStoreUrl });
  const pool = openPool({ url: databaseUrl, name: 'audit', max: 1 });
  try {
    return await work(store, new HeadSigner(store, pool, signingKey));
  } finally {
    await Promise.all([store.close(), pool.end()]);
  }
}
