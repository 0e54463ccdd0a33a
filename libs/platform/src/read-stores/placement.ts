import type { Group } from '@ledgerline/contracts/read-models/groups';
import { StartFailure } from '../config/start-failure';
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
  const held = new Set(rows.map(({ partition }) => partition));
  const wanted = Array.from({ length: partitions }, (_, partition) => partition).filter((each) => serves(share, each));
  const { place, stores } = share;
  if (wanted.length === 0)
    throw new StartFailure(
      `READ_DATABASE_URLS names ${stores} databases, but the intake log has ${partitions} partitions; each store needs one.`,
    );
  if (held.size === 0 || wanted.every((partition) => held.has(partition))) return;
  throw new StartFailure(
    `The database at place ${place} of ${stores} read stores has the read models of the partitions ${[...held].join(', ')} and not of ${wanted.join(', ')}; correct READ_DATABASE_URLS, or put an empty database there.`,
  );
}
