import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import type { Pool } from 'pg';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import type { Sealing } from '@ledgerline/eventstoredb/sealer';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { migrate } from '@ledgerline/platform/database/migrate';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { type ChainHead, type EventStore, streamOrganization } from '@ledgerline/platform/event-store/event-store';
import {
  addPublicKey,
  HeadSigner,
  organizationsSealedBefore,
  readTrustedKeys,
} from '@ledgerline/platform/event-store/head-signer';
import { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import { ALL_ORGANIZATIONS, SealingFault } from '@ledgerline/platform/event-store/verify-chain';
import { copyEvents, CopyRefused, type ForeignEvents, verifyCopy } from './copy-events';
import { createdOrganizations, copyableEvents } from './copyable-events';
import type { Installation } from './installation';
import { checkpointsIn, moveCheckpoints } from './move-checkpoints';

export const MIGRATE_STORE_USAGE = `Usage: npm run migrate-store -- --from postgres --to eventstoredb
       npm run migrate-store -- --from eventstoredb --to postgres
Stop the product first. Reads EVENTSTORE_URL and, without the embedded database, DATABASE_URL and AUDIT_SIGNING_KEY.`;

const KINDS = ['postgres', 'eventstoredb'] as const;
type Kind = (typeof KINDS)[number];

export interface Direction {
  readonly from: Kind;
  readonly to: Kind;
}

/** @throws StartFailure with the usage */
export function readDirection(args: readonly string[]): Direction {
  try {
    const options = { from: { type: 'string' }, to: { type: 'string' } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const [from, to] = [values.from, values.to].map((value) => KINDS.find((kind) => kind === value));
    if (from && to && from !== to) return { from, to };
  } catch {
    // an unknown option: the usage follows
  }
  throw new StartFailure(MIGRATE_STORE_USAGE);
}

/**
 * Copies the decided events to the other store. If the product is stopped, also verifies the copy and moves the
 * checkpoints of the projections to it. A history of the source that is not what was sealed is copied as it is, with a
 * warning. @throws StartFailure for what the user can correct
 */
export async function migrateStore(
  { from, to }: Direction,
  installation: Installation,
  eventStoreUrl: string | undefined,
  print: (text: string) => void,
): Promise<void> {
  const stores: EventStore[] = [];
  const pool = openPool({ url: installation.databaseUrl, name: 'migrate-store', max: 1 });
  const sealing = failureSignal();
  const warn = (organization: string, reason: string) => print(`Warning: ${organization}: ${reason}`);
  const onFault = (kind: Kind) => (organization: string, reason: string | null) => {
    if (reason === null) return;
    if (kind === to && organization !== ALL_ORGANIZATIONS) sealing.tell(new StartFailure(`${organization}: ${reason}`));
    else warn(organization, reason);
  };
  const opened = async (kind: Kind): Promise<EventStore> => {
    const url = eventStoreUrl?.trim();
    // what is sealed in the target is compared with the source, and with the heads that were kept
    const heads = kind === from ? { database: pool, ownOnly: true } : {};
    const store = await open(kind, installation, url, { ...heads, onFault: onFault(kind) });
    stores.push(store);
    return store;
  };
  try {
    await migrate(installation.databaseUrl);
    await addPublicKey(pool, installation.signingKey);
    const source = await opened(from);
    const target = await opened(to);
    const isMoved = await Promise.race([
      move(source, target, { pool, from, ...installation }, { print, warn }),
      sealing.failed,
    ]);
    if (isMoved) print(`Now start the product with EVENT_STORE=${to}; nothing has to be rebuilt.`);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await pool.end();
  }
}

type Warn = (organization: string, reason: string) => void;

/** Returns whether the move was completed, which requires that the product is stopped. */
async function move(
  source: EventStore,
  target: EventStore,
  {
    pool,
    from,
    isRunning,
    signingKey,
    statementFile,
  }: Pick<Installation, 'isRunning' | 'signingKey' | 'statementFile'> & { readonly pool: Pool; readonly from: Kind },
  { print, warn }: { readonly print: (text: string) => void; readonly warn: Warn },
): Promise<boolean> {
  const [server, database] = from === 'postgres' ? [target, source] : [source, target];
  let own: ReadonlySet<string> | undefined;
  const { events, copied, ...foreign } = await withBar('copying', (onProgress) =>
    copyEvents(source, target, {
      own: async () => (own = await ownOrganizations(server, database, pool)),
      onProgress,
      onLeftOut: warn,
    }),
  );
  print(`${events} events are in both stores (${copied} copied now).`);
  if (foreign.foreignEvents > 0) print(notCopied(foreign));
  if (isRunning || (await isInUse(pool))) {
    print('The product is running: stop it and run this again, to copy the rest and to verify.');
    return false;
  }
  const wanted = await checkpointsIn(pool, source);
  const trusted = await readTrustedKeys(pool, signingKey);
  const signer = new HeadSigner(source, pool, signingKey);
  const signedHeads = async (organization: string) => (await signer.heads(organization)).all;
  // what was signed in Postgres is not in the other store, so a changed history would look genuine there
  const unproven = from === 'postgres' ? {} : { onUnproven: warn };
  const heads = new Map<string, ChainHead>();
  const onVerified = (organization: string, head: ChainHead) => void heads.set(organization, head);
  const proof = { signedBy: trusted(0), signedHeads, onVerified, ...unproven };
  const verified = await withBar('verifying', (onProgress) =>
    verifyCopy(source, target, { own, wanted, onProgress, ...proof }),
  );
  const isToPostgres = from === 'eventstoredb';
  const log = isToPostgres ? source : undefined;
  const statements = new StatementChain({ database: pool, key: signingKey, file: statementFile, log });
  await stateVerified(statements, heads, isToPostgres ? undefined : await target.head(0)).catch((error: unknown) => {
    if (!(error instanceof SealingFault)) throw error;
    warn(ALL_ORGANIZATIONS, error.message);
  });
  await moveCheckpoints(pool, source, target, verified.places);
  print(
    `${verified.events} events of ${verified.organizations} organizations are equal; every hash chain without a warning is valid.`,
  );
  return true;
}

/**
 * Returns the organizations of the installation: those that Postgres holds, or a sealer has sealed, and those that were
 * created in the other store.
 */
async function ownOrganizations(server: EventStore, database: EventStore, pool: Pool): Promise<ReadonlySet<string>> {
  const own = new Set(await createdOrganizations(server));
  for await (const { stream } of copyableEvents(database)) own.add(streamOrganization(stream));
  for await (const organization of organizationsSealedBefore(pool)) own.add(organization);
  return own;
}

function notCopied({ foreignEvents, foreignStreams }: ForeignEvents): string {
  const [first] = foreignStreams;
  return `Warning: ${foreignEvents} events in ${foreignStreams.size} streams are not copied, as no organization was created for them, such as ${first}.`;
}

const MAX_HEADS = 1_000;

/** Has what was verified remembered, so that the copy is continued from there and from nothing else. */
async function stateVerified(
  statements: StatementChain,
  verified: ReadonlyMap<string, ChainHead>,
  sealedTo: string | undefined,
): Promise<void> {
  for (let isOver = false; !isOver;) {
    await statements.readOn(); // the sealer of the source may state heads meanwhile
    const heads = [...verified]
      .filter(([organization, { revision }]) => (statements.heads.get(organization)?.revision ?? -1) < revision)
      .map(([organization, { revision, hash }]) => ({ organization, revision, hash }));
    const isLast = heads.length <= MAX_HEADS;
    const stated = isLast && sealedTo !== undefined ? { sealedTo } : {};
    isOver = (await statements.append(heads.slice(0, MAX_HEADS), stated)) && isLast;
  }
}

function open(
  kind: Kind,
  { databaseUrl, signingKey }: Installation,
  url: string | undefined,
  sealing: Omit<Sealing, 'key'>,
): Promise<EventStore> {
  if (kind === 'postgres') return openEventStore({ databaseUrl, auditSigningKey: signingKey });
  if (!url)
    throw new StartFailure('EVENTSTORE_URL must be a connection string such as esdb://localhost:2113?tls=false.');
  return openEventStore({ databaseUrl, eventStoreUrl: url }, { ...sealing, key: signingKey });
}

/** A promise that rejects with the first failure and never resolves. */
function failureSignal(): { tell: (error: unknown) => void; failed: Promise<never> } {
  let tell: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (tell = reject));
  failed.catch(() => undefined);
  return { tell, failed };
}

async function withBar<T>(phase: string, work: (tell: (events: number) => void) => Promise<T>): Promise<T> {
  const bar = new SingleBar({ format: '{phase} {bar} {value} events · {duration_formatted}', hideCursor: true });
  bar.start(1, 0, { phase });
  try {
    return await work((events) => {
      bar.setTotal(Math.max(events, 1));
      bar.update(events);
    });
  } catch (error) {
    throw error instanceof CopyRefused ? new StartFailure(error.message) : error;
  } finally {
    bar.stop();
  }
}

/** The names by which the parts of a running product call connections, and no tool does. */
const NAMES = ['api', 'accounts', 'projector', 'intake-write', 'intake-listen'].map((name) => `ledgerline-${name}`);

/** Returns whether a product uses this database at the moment, wherever it runs and whatever it calls the server. */
async function isInUse(pool: Pool): Promise<boolean> {
  const connections = await run(
    pool,
    sql`select from pg_stat_activity
        where datname = current_database() and application_name = any(${NAMES}::text[]) limit 1`,
  );
  return connections.length > 0;
}
