import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { sql } from '@ledgerline/platform/database/sql';
import type { IntakeLog, LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import type { QueryType } from '../../apps/api/src/query/declaration/query-type';
import { queryTypeNamed } from '../../apps/api/src/query/types/catalogue';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { linksGroup } from '../../apps/projector/src/projections/links/links-group';
import type { ProjectionGroup } from '../../apps/projector/src/projections/projection-group';
import { keepVersions } from '../../apps/projector/src/rebuild/keep-versions';
import { rebuild } from '../../apps/projector/src/rebuild/rebuild';
import { bind, type BoundGroup } from '../../apps/projector/src/runner/bound-group';
import { Projector } from '../../apps/projector/src/runner/projector';
import { linkClicked } from '../events/observed-events';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database';
import { citiesWithMore, linkNews, otherDevices, upgradedLinks } from '../projector/upgraded-links';
import { waitUntil } from '../wait-until';
import { askLink, type Entry } from './ask-link';

/** The types of the first program. */
const BEFORE = ['link_total_clicks', 'link_top_cities', 'link_top_devices'].map((name) => queryTypeNamed(name)!);
/** The types of a program that reads a column more, a table more, and a table that means something else. */
const AFTER: readonly QueryType[] = [
  queryTypeNamed('link_total_clicks')!,
  reading('link_top_cities', citiesWithMore, 'clicks'),
  reading('link_top_regions', citiesWithMore, 'more'),
  reading('link_top_devices', otherDevices, 'clicks'),
  reading('link_top_browsers', linkNews, 'clicks'),
];

describe('an upgrade under load, and back', () => {
  it('never empties an answer, and says of each type that cannot be answered yet how much is filled', async () => {
    await send(300);
    const first = await start(linksGroup());
    await waitUntil(() => ask(BEFORE), isSteady);
    const writing = keepSending();
    const whole: number[] = [];
    const look = async (types: readonly QueryType[]) => {
      const entries = await ask(types);
      const [total] = entries;
      expect(total!.sum).toBeGreaterThanOrEqual(Math.max(300, ...whole)); // nothing is missing that was there
      whole.push(total!.sum!);
      for (const { name, sum, code, progress } of entries) {
        if (code === undefined)
          expect([name, sum]).toEqual([name, total!.sum! * (name === 'link_top_regions' ? 2 : 1)]);
        else expect([code, progress! >= 0 && progress! <= 1]).toEqual(['REBUILDING', true]);
      }
      return entries;
    };
    await look(BEFORE);
    await first.stop();

    const gate = opened();
    const second = await start(upgradedLinks(), gate.isOpen);
    for (let round = 0; round < 5; round++) {
      expect(failed(await look(AFTER))).toEqual(['link_top_regions', 'link_top_devices', 'link_top_browsers']);
      expect(failed(await look(BEFORE))).toEqual(['link_top_devices']);
      await send(20);
    }
    gate.open();
    await waitUntil(async () => failed(await look(AFTER)).length === 0);
    expect((await ask(AFTER))[3]!.values).toEqual(['OTHER']);
    await second.stop();

    const third = await start(linksGroup());
    expect(failed(await look(BEFORE))).toEqual(['link_top_devices']); // its cities were written along
    await waitUntil(async () => failed(await look(BEFORE)).length === 0);
    await writing.stop();
    expect((await ask(BEFORE))[2]!.values).toEqual(['other']);
    await third.stop();
    expect(await rebuild({ group: bound(linksGroup()), flip: false })).toMatchObject({ differences: [] });
    expect((await readLayout(pool, 'links'))?.tables).toMatchObject({ link_news: { isFrozen: true } });
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
    await Promise.all([log.close(), pool.end()]);
    await database.drop();
  });

  const bound = (group: ProjectionGroup<LoggedHit>): BoundGroup => bind(group, log, pool);
  const ask = (types: readonly QueryType[]): Promise<readonly Entry[]> => askLink(pool, 'link_1', types);

  async function start(group: ProjectionGroup<LoggedHit>, isOpen = () => Promise.resolve()): Promise<Projector> {
    const projector = new Projector({
      pool,
      groups: [bound(group)],
      maintenance: [],
      logger: createLogger('projector', 'silent'),
      keepVersions: async (keeping) => {
        await isOpen();
        await keepVersions({ ...keeping, everyMs: 50 });
      },
    });
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

  function keepSending() {
    const stopping = new AbortController();
    const loop = (async () => {
      while (!stopping.signal.aborted) {
        await send(20);
        await setTimeout(20); // a thousand clicks a second at most, which a fill outruns on any machine
      }
    })();
    return { stop: () => (stopping.abort(), loop) };
  }
});

const isSteady = ([total]: readonly Entry[]): boolean => (total?.sum ?? 0) >= 300;

const failed = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap(({ name, code }) => (code === undefined ? [] : [name]));

function opened() {
  let open: () => void = () => undefined;
  const isOpened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), isOpen: () => isOpened };
}

/** A query type that another program declares: the sums of a column of a table. */
function reading(name: string, model: ReadModel, column: string): QueryType {
  const type = queryTypeNamed(name)!;
  const isBlock = 'span' in model.columns;
  const value = isBlock ? sql`value` : sql`link_id`;
  const span = isBlock ? sql` and span = 1` : sql``;
  const added = column === 'more' ? sql`more` : sql`clicks`;
  const fifteenMinutes: QueryType['sources']['fifteenMinutes'] = ({ table, targetId }) => sql`
    select ${value} as text, sum(${added})::float8 as clicks from ${table(model)} where link_id = ${targetId}${span} group by 1`;
  return { ...type, sources: { ...type.sources, fifteenMinutes } };
}
