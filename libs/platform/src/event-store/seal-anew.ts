import type { Pool } from 'pg';
import { orUnavailable } from '../database/database-errors';
import { run, transaction, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import { BEFORE_FIRST, chainHash } from './chain-hash';
import { historyColumns, toHistoryEntry, type HistoryRow } from './event-row';
import type { ChainHead, ChainPlace, EventStore } from './event-store';
import { SealingFault } from './sealing-faults';
import type { StatementChain } from './statement-chain';

const PAGE = 1_000;

/**
 * Signs the history of an organization in Postgres as it is, whatever was signed before: chains its events again where
 * something else has changed them. Earlier statements stay.
 * @throws SealingFault where there is no event, or the signed statements themselves do not hold
 */
export async function sealAnew(
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
      const rows: HistoryRow[] = await run<HistoryRow>(
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

async function chainPage(client: Queryable, rows: readonly HistoryRow[], before: ChainHead): Promise<ChainHead> {
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
