import type { Pool } from 'pg';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { IntakeLog, LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { filledVersion } from '@ledgerline/platform/table-versions/filled-versions';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import { queryTypeNamed } from '../../apps/api/src/query/types/catalogue';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { linksGroup } from '../../apps/projector/src/projections/links/links-group';
import type { ProjectionGroup } from '../../apps/projector/src/projections/projection-group';
import { rollBackTables } from '../../apps/projector/src/rebuild/keep-versions';
import { keepPrepared, prepare, takeOver } from '../../apps/projector/src/rebuild/prepare';
import { rebuild } from '../../apps/projector/src/rebuild/rebuild';
import { bind, type BoundGroup } from '../../apps/projector/src/runner/bound-group';
import { Projector } from '../../apps/projector/src/runner/projector';
import { resolveOwnTables, TablesOfAnotherProgram } from '../../apps/projector/src/versions/program-tables';
import { dropVersions } from '../../apps/projector/src/versions/version-tables';
import { linkClicked } from '../events/observed-events';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database';
import { linksWithOtherState, upgradedLinks } from '../projector/upgraded-links';
import { waitUntil } from '../wait-until';
import { askLink } from './ask-link';

const TYPES = ['link_total_clicks', 'link_top_cities', 'link_top_devices'].map((name) => queryTypeNamed(name)!);
const logger = createLogger('projector', 'silent');

describe('a build that is prepared beside the one that serves', () => {
  it('switches when it starts, and leaves the other one its tables, which this goes on writing and reading', async () => {
    await send(300);
    const earlier = await start(linksGroup());
    await waitUntil(async () => (await total()) === 300);

    const version = await prepared(linksWithOtherState());
    expect(await layout()).toMatchObject({ version: 1, tables: {}, previous: null });
    await send(20);
    await waitUntil(async () => (await total()) === 320);

    const later = await start(linksWithOtherState());
    expect(await layout()).toMatchObject({ version, previous: { version: 1 } });
    expect(await answers()).toEqual([320, 320, 320]);
    await send(20); // each of both projects them
    await waitUntil(async () => (await total()) === 340);
    await waitUntil(async () => (await events(version)) === 340);
    expect(await answers()).toEqual([340, 340, 340]);
    await earlier.stop();

    await send(20);
    await waitUntil(async () => (await events(version)) === 360);
    await expect(rollBackTables(bound(linksWithOtherState()))).rejects.toThrow('Start that version to go back');
    await later.stop();
    expect(await rebuild({ group: bound(linksWithOtherState()), flip: false })).toMatchObject({ differences: [] });

    const again = await start(linksGroup()); // has what came since
    expect(await layout()).toMatchObject({ version: 1, previous: { version } });
    expect(await answers()).toEqual([360, 360, 360]);
    await again.stop();
  });

  it('goes on where a preparation was interrupted, and begins again where what was prepared was dropped', async () => {
    const stopping = new AbortController();
    const onProgress = () => stopping.abort(new Error('stopped'));
    const interrupted = prepare({ ...of(upgradedLinks()), onProgress, signal: stopping.signal, batch: 50 });
    await expect(interrupted).rejects.toThrow('stopped');
    const group = bound(upgradedLinks());
    expect(await filledVersion(pool, group)).toBeUndefined();
    const done = await newestEvents();
    const begun = await newestVersion();
    expect(done).toBeGreaterThan(0);
    expect(await prepared(upgradedLinks())).toBe(begun);

    await dropVersions(group, (now) => now); // as an erasure does
    expect(await keepPrepared(group, begun, new AbortController().signal)).toBe(false);
    const filled = await prepared(upgradedLinks());
    const later = await start(upgradedLinks());
    expect(await layout()).toMatchObject({ version: filled });
    expect(await keepPrepared(group, filled, new AbortController().signal)).toBe(true);
    await later.stop();
  });

  it('is not started unprepared, unless that is accepted or nothing is in the log', async () => {
    const refused = start(linksWithOtherState());
    await expect(refused).rejects.toThrow(StartFailure);
    await expect(refused).rejects.toThrow(
      /^- links, for about 1 s \(360 events\): link_last_click, link_top_devices, all others with filters or by hour \(changed: link_devices, link_clicks\); all others of it stand still$/m,
    );
    const accepted = await start(linksWithOtherState(), true);
    await expect(resolveOwnTables(pool, bound(linksWithOtherState()))).rejects.toThrow(TablesOfAnotherProgram);
    await accepted.stop();
    await (await start(linksWithOtherState())).stop(); // it goes on with what it has begun
  });

  let database: TestDatabase;
  let pool: Pool;
  let log: IntakeLog;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url);
    log = await openIntakeLog({ databaseUrl: database.url, partitions: 2 });
  });
  afterAll(async () => {
    await Promise.all(started.map((projector) => projector.stop()));
    await Promise.all([log.close(), pool.end()]);
    await database.drop();
  });

  const started: Projector[] = [];
  const bound = (group: ProjectionGroup<LoggedHit>): BoundGroup => bind(group, log, pool);
  const of = (group: ProjectionGroup<LoggedHit>) => ({ group: bound(group), accept: false });
  const prepared = (group: ProjectionGroup<LoggedHit>): Promise<number> =>
    prepare({ ...of(group), signal: new AbortController().signal });
  const layout = () => readLayout(pool, 'links');
  const answers = async () => (await askLink(pool, 'link_1', TYPES)).map(({ sum }) => sum);
  const total = async () => (await answers())[0];

  async function events(version: number): Promise<number> {
    const { rows } = await pool.query<{ events: number }>(
      `select coalesce(sum(events), 0)::int as events from projection_checkpoints
        where projection_group = 'links' and version = $1`,
      [version],
    );
    return rows[0]!.events;
  }

  async function newestVersion(): Promise<number> {
    const { rows } = await pool.query<{ version: number }>(
      `select max(version) as version from projection_checkpoints where projection_group = 'links'`,
    );
    return rows[0]!.version;
  }

  const newestEvents = async () => events(await newestVersion());

  async function start(group: ProjectionGroup<LoggedHit>, acceptDowntime = false): Promise<Projector> {
    const groups = [bound(group)];
    const projector = new Projector({
      pool,
      groups,
      maintenance: [],
      logger,
      takeOver: takeOver(groups, acceptDowntime),
    });
    started.push(projector);
    await projector.start();
    return projector;
  }

  async function send(count: number): Promise<void> {
    const hits = Array.from({ length: count }, (_, n) => ({
      event: linkClicked(Date.now(), { visitorId: String(n % 50).padStart(32, '0'), country: 'DE', city: 'Berlin' }),
      subject: 'link_1',
      dedupe: 'never' as const,
    }));
    await log.send(hits);
  }
});
