import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { readSendingState, resumeSending } from '@ledgerline/platform/deliveries/sender-state';
import type { Pool } from 'pg';
import type { Installation } from '../migrate-store/installation';

export const USAGE = `Usage: npm run deliveries -- list | resume

list    how sending to destinations goes: what is held back or off, and what waits
resume  lets this installation send, which took itself for a copy of another one: after a restore, or with another
        PUBLIC_API_URL, database or event store. What the other one has not sent is sent now; stop that one first.`;

interface Tools {
  readonly open: () => Promise<Pick<Installation, 'databaseUrl' | 'close'>>;
  readonly print: (text: string) => void;
}

/** @throws StartFailure for other arguments */
export async function deliveries(args: readonly string[], { open, print }: Tools): Promise<void> {
  const [what = '', ...others] = args;
  const action = Object.hasOwn(ACTIONS, what) ? ACTIONS[what] : undefined;
  if (!action || others.length > 0) throw new StartFailure(USAGE);
  const installation = await open();
  const pool = openPool({ url: installation.databaseUrl, name: 'deliveries', max: 1 });
  try {
    for (const line of await action(pool)) print(line);
  } finally {
    await pool.end();
    await installation.close();
  }
}

const ACTIONS: Readonly<Record<string, (pool: Pool) => Promise<readonly string[]>>> = {
  list: async (pool) => {
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
    return [...(isCopy ? ['Nothing is sent: this looks like a copy (resume).'] : []), ...lines];
  },
  resume: async (pool) =>
    (await resumeSending(pool)) ? ['This installation sends from now on.'] : ['Nothing was held back.'],
};
