import { Client } from 'pg';
import { migrateReadStore } from '@ledgerline/platform/database/migrate';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { repeatWork } from '@ledgerline/platform/processes/periodic-work';
import { readMoments, urlOfMoment } from '@ledgerline/platform/read-stores/kept-moments';
import { DecidedErasures } from '../erasures/decided-erasures';
import { eraseVisits } from '../erasures/erase-visits';
import { rewriteFiles } from '../erasures/rewrite-files';
import { RebuiltElsewhere } from '../rebuild/catch-up';
import type { BoundGroup } from '../runner/bound-group';
import { hasVisits } from '../runner/erasure-rules';
import type { GroupWork } from '../runner/group-work';
import { openSnapshot, type SnapshotSources } from './snapshot-groups';

const EVERY_MS = 5_000;
const OUTAGE = {
  began: 'visits cannot be erased from snapshots; trying again',
  ended: 'visits are erased from snapshots again',
};

interface Opened {
  readonly madeAt: string;
  /** Each with what it has read of the event store. */
  readonly groups: readonly (readonly [BoundGroup, DecidedErasures])[];
  readonly close: () => Promise<void>;
}

/** Takes what is erased out of the snapshots beside the read store of a group, until the signal. */
export const runSnapshotErasing =
  (sources: Omit<SnapshotSources, 'store'>, mainUrl: string) =>
  async ({ group, logger, signal }: GroupWork): Promise<void> => {
    if (group.name !== 'websites') return;
    const opened = new Map<string, Opened>();
    const store = { pool: group.pool, ...group.share };
    const openOne = async (name: string, madeAt: string): Promise<Opened> => {
      const url = urlOfMoment(group.pool.options.connectionString ?? '', name);
      await migrateReadStore(url); // it may be of an earlier program
      const ends = await readEnds(url);
      const { groups, close } = openSnapshot({ ...sources, store }, mainUrl, name, ends);
      const own = groups.filter(hasVisits).map((each) => [each, new DecidedErasures(sources.eventStore)] as const);
      return { madeAt, groups: own, close };
    };
    await repeatWork({ logger, signal }, { everyMs: EVERY_MS, ...OUTAGE }, async () => {
      const moments = (await readMoments(group.pool)).flatMap(({ moment }) => moment ?? []);
      for (const [name, { madeAt, close }] of opened) {
        if (moments.some((moment) => moment.name === name && moment.madeAt === madeAt)) continue;
        opened.delete(name);
        await close();
      }
      for (const { name, madeAt } of moments) {
        const snapshot = opened.get(name) ?? (await openOne(name, madeAt));
        opened.set(name, snapshot);
        for (const [each, decided] of snapshot.groups) await erase(each, decided);
        for (const [{ pool }] of snapshot.groups) await rewriteFiles(pool, Date.now(), signal);
      }
    });
    for (const { close } of opened.values()) await close();
  };

async function erase(group: BoundGroup, decided: DecidedErasures): Promise<void> {
  try {
    await eraseVisits(group, decided);
  } catch (error) {
    if (!(error instanceof RebuiltElsewhere)) throw error; // another projector is at it
  }
}

/** Where the log of a snapshot ends. */
async function readEnds(url: string): Promise<ReadonlyMap<number, Cursor>> {
  const client = new Client({ connectionString: url, application_name: 'ledgerline-snapshot' });
  await client.connect();
  try {
    const rows = await run<{ partition: number; cursor: Cursor }>(
      client,
      sql`select partition, cursor from projection_checkpoints c join projection_groups g
          on g.name = c.projection_group and g.live_version = c.version where g.name = 'websites'`,
    );
    return new Map(rows.map(({ partition, cursor }) => [partition, cursor]));
  } finally {
    await client.end();
  }
}
