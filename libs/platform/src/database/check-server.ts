import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { StartFailure } from '../config/start-failure';
import { sessionSetup } from './pool';

/**
 * Connections to the main database that a process of each app has at once under load, without the last of each pool: all
 * of one of each fit a server with its default of a hundred.
 */
export const NEEDED_CONNECTIONS = { api: 40, tracker: 22, projector: 32 } as const;

const ANSWER_MS = 4_000;
const MARK = 'ledgerline.session';
const setUp = sessionSetup({ setupTimeoutMs: ANSWER_MS });

/**
 * Connects once, and where a pooler answers looks whether it can be used.
 * @param connections that must be there at once
 * @throws StartFailure for a pooler in another mode than that of sessions, or with too few connections · what the driver
 *   throws where the database cannot be used
 */
export async function checkPostgresServer(url: string, connections = 2): Promise<void> {
  const clients: Client[] = [];
  const open = async () => {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
    client.on('error', () => undefined); // the next statement fails
    clients.push(client);
    await client.connect();
    await setUp(client); // the server may end what is idle for a while
    return client;
  };
  try {
    const first = await open();
    if (!(await isPooled(first))) return;
    const next = () => {
      const there = clients.length;
      return open().catch(() => refuseSmallPool(first, there, connections));
    };
    await assertSessions(first, await next());
    while (clients.length < connections) await next(); // one by one, as a busy server takes its time for each
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
}

/** A server names the process that serves a connection when that begins; a pooler names one of its own making. */
async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== (client as Client & { readonly processID: number }).processID; // its types leave it out
}

/** A setting of one session must not be seen by another, whose transaction is open, and stay where it was made. */
async function assertSessions(first: Client, second: Client): Promise<void> {
  const mark = randomUUID();
  await first.query('select set_config($1, $2, false)', [MARK, mark]);
  await second.query('begin');
  const isShared = (await markOf(second)) === mark || (await markOf(first)) !== mark;
  await second.query('rollback');
  if (isShared)
    throw new StartFailure(
      'The connection pooler in front of the database gives the connection of one session to another after each transaction, which does not work: set it to session mode (pool_mode = session of PgBouncer).',
    );
}

async function markOf(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>('select current_setting($1, true) as mark', [MARK]);
  return rows[0]?.mark ?? null;
}

/** @throws StartFailure where the pooler still answers, and what the driver throws where nothing does */
async function refuseSmallPool(first: Client, there: number, needed: number): Promise<never> {
  await first.query('select');
  throw new StartFailure(
    `The connection pooler has ${there} of the ${needed} connections to the database that are needed at once: raise its pool (default_pool_size of PgBouncer); docs/operating.md says how many all processes need.`,
  );
}
