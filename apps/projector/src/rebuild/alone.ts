import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { BoundGroup } from '../runner/bound-group';
import { RebuiltElsewhere } from './catch-up';

/** What fills or drops tables of a group beside those that answer, one at a time. @throws RebuiltElsewhere */
export async function alone<T>(group: BoundGroup, work: () => Promise<T>): Promise<T> {
  const client = await group.pool.connect();
  try {
    const name = `ledgerline rebuild ${group.name}`;
    const [row] = await run<{ mine: boolean }>(client, sql`select pg_try_advisory_lock(hashtext(${name})) as mine`);
    if (!row?.mine) throw new RebuiltElsewhere(`The group ${group.name} is being rebuilt already.`);
    return await work();
  } finally {
    await run(client, sql`select pg_advisory_unlock_all()`).catch(() => undefined); // TRICKY: the server ends sessions later
    client.release(true);
  }
}
