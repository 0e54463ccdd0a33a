import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool } from '@ledgerline/platform/database/pool';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createTestDatabase } from '@test/postgres/test-database';
import { openLiveVersion } from '../versions/live-version';
import { boundGroups } from './bound-group';
import { listProjections } from './list-projections';

describe('the list of projections', () => {
  it('has those of the read stores that can be reached, and names the others', async () => {
    const database = await createTestDatabase();
    const eventStore = await openEventStore({ databaseUrl: database.url });
    const intakeLog = await openIntakeLog({ databaseUrl: database.url, partitions: 4 });
    const pool = openPool({ url: database.url, name: 'spec', max: 2 });
    const away = openPool({ url: 'postgres://nobody@127.0.0.1:1/none', name: 'spec-away', max: 2 });
    const stores = [pool, away].map((each, at) => ({ pool: each, place: at + 1, stores: 2 }));
    const groups = boundGroups({ eventStore, intakeLog, pool, stores });
    for (const group of groups.filter((each) => each.pool === pool)) await openLiveVersion(pool, group, group.log);

    const { standings, away: places } = await listProjections(groups);
    await Promise.all([eventStore.close(), intakeLog.close(), pool.end(), away.end()]);
    await database.drop();
    const listed = standings.map(({ group, store, partition }) => `${group} ${store} ${partition}`);
    expect(places).toEqual([2]);
    expect(listed).toEqual(expect.arrayContaining(['registry 1 0', 'websites 1 0', 'websites 1 2', 'links 1 0']));
  });
});
