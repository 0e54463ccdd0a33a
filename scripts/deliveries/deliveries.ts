import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { retryDeliveries, skipDeliveries } from '@ledgerline/platform/deliveries/retry-deliveries';
import { readSendingState, resumeSending } from '@ledgerline/platform/deliveries/sender-state';
import { destinationUseStream } from '@ledgerline/platform/event-store/event-store';
import { newUlid } from '@ledgerline/platform/ids/new-ulid';
import { recordBySystem } from '../audit/record-by-system';
import { withEventStore } from '../audit/verify-intake';
import type { Installation } from '../migrate-store/installation';

export const DELIVERIES_USAGE = `Usage: npm run deliveries -- list
       npm run deliveries -- retry DESTINATION [--from N --to N]
       npm run deliveries -- skip [DESTINATION]
       npm run deliveries -- resume

list    how sending to destinations goes: what is held back or off, and what waits
retry   sends again what is set aside, or the messages with these numbers, and turns the destination on
skip    lets be what waits for a destination, which gets what happens from now on; without one, for all but audit
        streams, and lets a copy send
resume  lets this installation send, which took itself for a copy of another one: after a restore, or with another
        PUBLIC_API_URL, database or event store. What the other one has not sent is sent now; stop that one first.`;

interface Tools {
  readonly open: () => Promise<Installation>;
  readonly print: (text: string) => void;
}

interface Task {
  readonly pool: Pool;
  readonly installation: Installation;
  readonly destination: string | undefined;
  readonly range: { readonly from: number; readonly to: number } | undefined;
}

/** @throws StartFailure for other arguments */
export async function runDeliveriesCommand(args: readonly string[], { open, print }: Tools): Promise<void> {
  const { action, destination, range } = readArguments(args);
  const installation = await open();
  const pool = openPool({ url: installation.databaseUrl, name: 'deliveries', max: 1 });
  try {
    for (const line of await action({ pool, installation, destination, range })) print(line);
  } finally {
    await pool.end();
    await installation.close();
  }
}

type Action = (task: Task) => Promise<readonly string[]>;

function readArguments(args: readonly string[]) {
  const { positionals, values } = parse(args);
  const [name = '', destination, ...more] = positionals;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  const from = Number(values.from);
  const to = Number(values.to);
  const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(to);
  const takesRange = name === 'retry' && (isRange || Object.keys(values).length === 0);
  const takesDestination = name === 'retry' ? destination !== undefined : name === 'skip' || destination === undefined;
  if (!action || more.length > 0 || !takesDestination || (Object.keys(values).length > 0 && !takesRange))
    throw new StartFailure(DELIVERIES_USAGE);
  return { action, destination, range: isRange ? { from, to } : undefined };
}

function parse(args: readonly string[]) {
  const options = { from: { type: 'string' }, to: { type: 'string' } } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new StartFailure(`${error instanceof Error ? error.message : String(error)}\n\n${DELIVERIES_USAGE}`);
  }
}

const ACTIONS: Readonly<Record<string, Action>> = {
  list: async ({ pool }) => {
    const { isCopy } = await readSendingState(pool);
    const rows = await run<{ id: string; state: string; waiting: number; setAside: number; answer: string }>(
      pool,
      sql`select destination_id as id, s.state, coalesce(nullif(concat_ws(' ', s.status, s.answer), ''), '-') as answer,
          count(d.id) filter (where d.state = 'waiting')::integer as waiting,
          count(d.id) filter (where d.state = 'set_aside')::integer as "setAside"
        from destination_sending s left join deliveries d using (destination_id)
        group by s.destination_id order by s.destination_id`,
    );
    const lines = rows.map(
      ({ id, state, waiting, setAside, answer }) =>
        `${id}  ${state}  ${waiting} waiting, ${setAside} set aside  last answer: ${answer.split('\n')[0]}`,
    );
    return [...(isCopy ? ['Nothing is sent: this looks like a copy (resume, or skip).'] : []), ...lines];
  },
  retry: async ({ pool, installation, destination = '', range }) => {
    const { organizationId } = await findSending(pool, destination);
    const useId = `use_${newUlid()}`;
    const { from = null, to = null } = range ?? {};
    const data = { organizationId, destinationId: destination, useId, deliveryIds: null, from, to };
    await withEventStore(installation, (store) =>
      recordBySystem(store, destinationUseStream(organizationId, useId), 'RetryDeliveries', {
        type: 'DeliveriesRetried',
        data,
      }),
    );
    const which = range ? sql`number between ${range.from} and ${range.to}` : sql`state = 'set_aside'`;
    const retried = await retryDeliveries(pool, destination, { which, goesOn: range === undefined });
    return [`${retried} messages are sent again to ${destination}, after what is new.`];
  },
  skip: async ({ pool, installation, destination }) => {
    const all = destination === undefined ? await readSendings(pool) : [await findSending(pool, destination)];
    if (destination !== undefined && all.some(({ isStream }) => isStream))
      throw new StartFailure(`${destination} is an audit stream, of which nothing is left out.`);
    const webhooks = all.filter(({ isStream }) => !isStream);
    const skipped = await withEventStore(installation, async (store) => {
      let count = 0;
      for (const { id, organizationId } of webhooks)
        count += await skipDeliveries(pool, id, (await store.chainHead(organizationId))?.revision ?? -1);
      return count;
    });
    if (destination !== undefined) return [`${skipped} messages to ${destination} are skipped.`];
    await run(pool, sql`with gone as (delete from delivery_sources) delete from delivery_folds`);
    await run(pool, sql`update alert_states set decided_until = greatest(decided_until, now()), due_at = now()`);
    await resumeSending(pool);
    return [`${skipped} messages are skipped. This installation sends what happens from now on.`];
  },
  resume: async ({ pool }) =>
    (await resumeSending(pool)) ? ['This installation sends from now on.'] : ['Nothing was held back.'],
};

interface SendingRow {
  readonly id: string;
  readonly organizationId: string;
  readonly isStream: boolean;
}

/** The projector keeps for each destination how far it is. */
const readSendings = (pool: Pool): Promise<SendingRow[]> =>
  run<SendingRow & Record<string, unknown>>(
    pool,
    sql`select destination_id as id, organization_id as "organizationId", is_stream as "isStream" from destination_sending`,
  );

async function findSending(pool: Pool, id: string): Promise<SendingRow> {
  const found = (await readSendings(pool)).find((each) => each.id === id);
  if (!found) throw new StartFailure(`There is no destination "${id}".`);
  return found;
}
