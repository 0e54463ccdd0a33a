import type { Group } from '@ledgerline/contracts/read-models/groups';
import { reasonOf, StartFailure } from '../config/start-failure';
import { isUnavailable } from '../database/database-errors';
import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import { serves, type Share } from './read-store';

/**
 * Refuses a database whose live read models are of other partitions than its place in READ_DATABASE_URLS asks for; an
 * empty one may take any place. @throws StartFailure
 */
export async function assertPlacement(on: Queryable, share: Share, group: Group, partitions: number): Promise<void> {
  const rows = await run<{ partition: number }>(
    on,
    sql`select c.partition from projection_groups g
      join projection_checkpoints c on c.projection_group = g.name and c.version = g.live_version
      where g.name = ${group} order by c.partition`,
  );
  const held = rows.map(({ partition }) => partition);
  const wanted = Array.from({ length: partitions }, (_, partition) => partition).filter((each) => serves(share, each));
  if (held.length === 0 || wanted.every((partition) => held.includes(partition))) return;
  throw new StartFailure(
    `The database at place ${share.place} of ${share.stores} read stores has the read models of the partitions ${held.join(', ')} and not of ${wanted.join(', ')}; correct READ_DATABASE_URLS, or put an empty database there.`,
  );
}

/** @throws StartFailure when there are more read stores than partitions */
export function assertShares(stores: number, partitions: number): void {
  if (stores <= partitions) return;
  throw new StartFailure(
    `READ_DATABASE_URLS names ${stores} databases, but the intake log has ${partitions} partitions; each store needs one.`,
  );
}

/** A failure that no waiting mends, such as a wrong password, as a sentence that names the store; others as they are. */
export function namingStore(error: unknown, { place }: Share): unknown {
  const reason = isUnavailable(error) ? undefined : reasonOf(error);
  if (reason === undefined) return error;
  return new StartFailure(`The database at place ${place} of READ_DATABASE_URLS cannot be used (${reason}).`);
}
