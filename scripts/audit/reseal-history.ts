import type { Pool } from 'pg';
import type { AuditLogResealed } from '@ledgerline/contracts/events/audit-log.events';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { orUnavailable } from '@ledgerline/platform/database/database-errors';
import { run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { BEFORE_FIRST, chainHash } from '@ledgerline/platform/event-store/appended-events';
import {
  streamOrganization,
  type ChainHead,
  type EventStore,
  type ChainPlace,
  resealStream,
} from '@ledgerline/platform/event-store/event-store';
import { type HeadSigner, signedBefore } from '@ledgerline/platform/event-store/head-signer';
import { historyColumns, toHistoryEntry, type ChainedEventRow } from '@ledgerline/platform/event-store/postgres-reads';
import type { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import {
  ALL_ORGANIZATIONS,
  SealingFault,
  readSealingFault,
  readSealingFaults,
} from '@ledgerline/platform/event-store/verify-chain';
import { BEGINNING } from '@ledgerline/platform/log/log-reader';
import { AuditVerification } from '../../apps/api/src/audit/verify-audit-log.query';
import { newPrefixedId } from '../../apps/api/src/commands/command-context';
import { recordBySystem } from './record-by-system';

interface Audited {
  readonly store: EventStore;
  readonly signer: HeadSigner;
  readonly pool: Pool;
  /** The reason of the operator, for the audit log. */
  readonly reason: string;
}

interface AuditedInPostgres extends Audited {
  readonly statements: StatementChain;
}

/**
 * Seals a history as it is now, where it does not lead on from what was sealed or cannot be sealed on; `seal` is to record
 * that first, once it can be done. @throws StartFailure
 */
export async function resealHistory(
  audited: Audited,
  organizationId: string,
  seal: (record: () => Promise<string>) => Promise<ChainHead>,
): Promise<ChainHead> {
  const { store, signer, pool } = audited;
  const known = { faultOf: () => readSealingFault(pool, organizationId), overdueBefore: signedBefore };
  const found = await new AuditVerification(store, signer, known).verdict(organizationId);
  const isUnknown = found.events + found.unsealed === 0 && !found.head && found.fault === undefined;
  if (found.valid || isUnknown)
    throw new StartFailure(`There is nothing to decide: the history of ${organizationId} is as it was sealed.`);
  return seal(() => record(audited, organizationId));
}

/** Seals a history again on Postgres. @throws StartFailure */
export async function resealInPostgres(audited: AuditedInPostgres, organizationId: string): Promise<ChainHead> {
  const { store, pool, statements } = audited;
  return explained(async () => {
    await statements.readOn(); // before anything is recorded
    return resealHistory(audited, organizationId, async (record) => {
      await record();
      return sealAnew(store, pool, organizationId, statements);
    });
  });
}

/**
 * For a database whose signed statements are not those that were made, as after a restored backup: records in the audit log
 * of each organization that all histories are signed as they are, then begins the statements anew. Answers how many
 * organizations these are. @throws StartFailure
 */
export async function resealAll(audited: AuditedInPostgres, seal?: SealRecorded): Promise<number> {
  const { pool, statements, reason } = audited;
  if (await isAsSigned(audited))
    throw new StartFailure('There is nothing to decide: the signed heads are those that were made.');
  const organizations = await (seal ? organizationsIn(audited.store) : chained(pool));
  const commands = new Map<string, string>();
  for (const organization of organizations) commands.set(organization, await record(audited, organization));
  await explained(() => statements.restart(reason));
  const left: string[] = [];
  for (const [organization, command] of commands)
    await seal?.(organization, command).catch((error: unknown) => {
      if (!(error instanceof StartFailure)) throw error;
      left.push(error.message);
    });
  if (left.length > 0) throw new StartFailure(`All but ${left.length} are signed as they are now. ${left.join(' ')}`);
  return commands.size;
}

/** On EventStoreDB, where seals have to be made anew, too; with the id of the command that has recorded it. */
type SealRecorded = (organization: string, command: string) => Promise<unknown>;

async function chained(pool: Pool): Promise<string[]> {
  const rows = await run<{ organization: string }>(
    pool,
    sql`select organization from organization_chains where revision >= 0 and organization <> 'global' order by 1`,
  );
  return rows.map(({ organization }) => organization);
}

/** Returns the organizations that were created: something else may write to the same server. */
async function organizationsIn(store: Pick<EventStore, 'read'>): Promise<string[]> {
  const found = new Set<string>();
  for (let cursor = BEGINNING, atHead = false; !atHead;) {
    const batch = await store.read(0, cursor, { max: PAGE, types: ['OrganizationCreated'] });
    for (const { stream } of batch.events) found.add(streamOrganization(stream));
    ({ next: cursor, atHead } = batch);
  }
  return [...found].toSorted();
}

async function isAsSigned({ pool, statements }: AuditedInPostgres): Promise<boolean> {
  const faults = await readSealingFaults(pool);
  if (faults.some(({ organization }) => organization === ALL_ORGANIZATIONS)) return false;
  try {
    await statements.readOn();
    return true;
  } catch (error) {
    if (error instanceof SealingFault) return false;
    throw error;
  }
}

/** Answers the id of the command. */
async function record({ store, signer, reason }: Audited, organizationId: string): Promise<string> {
  const { signed } = await signer.heads(organizationId);
  const resealId = newPrefixedId('seal');
  const lost = signed && { revision: signed.revision, hash: signed.hash };
  const data = { organizationId, resealId, reason, lost } satisfies AuditLogResealed['data'];
  const stream = resealStream(organizationId, resealId);
  return recordBySystem(store, stream, 'ResealAuditLog', { type: 'AuditLogResealed', data });
}

/** @throws StartFailure for a fault of the signed heads */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SealingFault ? new StartFailure(error.message) : error;
  }
}

const PAGE = 1_000;

/**
 * Signs the history of an organization in Postgres as it is, whatever was signed before: chains its events again where
 * something else has changed them. Earlier statements stay.
 * @throws SealingFault where there is no event, or the signed statements themselves do not hold
 */
async function sealAnew(
  store: Pick<EventStore, 'chainHead'>,
  pool: Pool,
  organization: string,
  statements: StatementChain,
): Promise<ChainHead> {
  await orUnavailable('The event store', () => chainAnew(pool, organization));
  for (;;) {
    await statements.readOn();
    const head = await store.chainHead(organization);
    if (!head) throw new SealingFault(`There is no event of ${organization} to seal.`);
    if (await statements.append([{ organization, ...head, resealed: true }])) return head;
  }
}

/** Gives events, in order and as they are, their places and hashes, and the chain that head; appends wait meanwhile. */
async function chainAnew(pool: Pool, organization: string): Promise<void> {
  await transaction(pool, async (client) => {
    await run(client, sql`select from organization_chains where organization = ${organization} for update`);
    let head = BEFORE_FIRST;
    for (let position: string | undefined = '0'; position !== undefined;) {
      const rows: ChainedEventRow[] = await run<ChainedEventRow>(
        client,
        sql`select ${historyColumns} from events where organization = ${organization} and position > ${position}
            order by position limit ${PAGE}`,
      );
      head = await chainPage(client, rows, head);
      position = rows.at(-1)?.position;
    }
    await run(
      client,
      sql`update organization_chains set revision = ${head.revision}, hash = decode(${head.hash}, 'hex')
          where organization = ${organization}`,
    );
  });
}

async function chainPage(client: Queryable, rows: readonly ChainedEventRow[], before: ChainHead): Promise<ChainHead> {
  const changed: (ChainPlace & { readonly id: string })[] = [];
  let head = before;
  for (const event of rows.map(toHistoryEntry)) {
    const place = { revision: head.revision + 1, hash: chainHash(event, head.hash), previousHash: head.hash };
    if (!isSame(place, event.chain)) changed.push({ id: event.id, ...place });
    head = place;
  }
  if (changed.length > 0)
    await run(
      client,
      sql`update events set chain_revision = place.revision, hash = decode(place.hash, 'hex'),
            previous_hash = decode(place.previous_hash, 'hex')
          from unnest(${changed.map(({ id }) => id)}::uuid[], ${changed.map(({ revision }) => revision)}::int8[],
            ${changed.map(({ hash }) => hash)}::text[], ${changed.map(({ previousHash }) => previousHash)}::text[])
            as place (id, revision, hash, previous_hash)
          where events.id = place.id`,
    );
  return { revision: head.revision, hash: head.hash };
}

const isSame = (one: ChainPlace, other: ChainPlace): boolean =>
  one.revision === other.revision && one.hash === other.hash && one.previousHash === other.previousHash;
