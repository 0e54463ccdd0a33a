import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { pageView } from '@test/events/observed-events';
import { MemoryLog } from '@test/projector/memory-log';
import { openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';

describe('the days of sessions', () => {
  it('are counted once for each batch that changes a session which began on them', async () => {
    await batch(view('2026-03-01T23:50:00Z'), view('2026-03-01T12:00:00Z'), view('2026-03-05T00:00:00Z'));
    expect(await days()).toEqual({ '2026-03-01': 1, '2026-03-05': 1 });
    await batch(view('2026-03-02T00:10:00Z')); // in the session from before midnight
    expect(await days()).toEqual({ '2026-03-01': 2, '2026-03-05': 1 });
  });

  it('are open again after a late event, of the day of its session alone', async () => {
    await batch(view('2026-03-01T12:00:00Z'), view('2026-03-02T12:00:00Z'));
    await seal();
    await batch(view('2026-03-02T12:01:00Z'));
    expect(await sealed()).toEqual({ states: ['2026-03-01'], rows: ['2026-03-01'] });
  });

  it('are open again when a session joins one of the day before, and when it begins on that day now', async () => {
    await batch(view('2026-03-01T23:40:00Z'), view('2026-03-02T00:15:00Z'), view('2026-03-04T00:05:00Z'));
    expect(await days()).toEqual({ '2026-03-01': 1, '2026-03-02': 1, '2026-03-04': 1 });
    await seal();
    await batch(view('2026-03-01T23:58:00Z')); // joins both
    expect(await sealed()).toEqual({ states: ['2026-03-04'], rows: ['2026-03-04'] });
    await batch(view('2026-03-03T23:59:00Z'));
    expect(await sealed()).toEqual({ states: [], rows: [] });
    expect(await days()).toEqual({ '2026-03-01': 2, '2026-03-02': 2, '2026-03-03': 1, '2026-03-04': 2 });
  });

  it('stay as they are where an event is repeated', async () => {
    const event = view('2026-03-01T12:00:00Z');
    await batch(event);
    await seal();
    await batch(event);
    expect(await sealed()).toEqual({ states: ['2026-03-01'], rows: ['2026-03-01'] });
  });

  let versions: WebsiteVersions;
  let sites = 0;

  beforeAll(async () => void (versions = await openWebsiteVersions()));
  beforeEach(() => void sites++);
  afterAll(() => versions.close());

  const view = (at: string) => pageView(Date.parse(at), { websiteId: `site_${sites}` });
  const batch = (...events: ReturnType<typeof view>[]) => versions.project(2, new MemoryLog(events));

  const named = () => sql`(select id from dictionary where text = ${`site_${sites}`})`;

  /** As a sealer would, with a row of nothing for each day. */
  async function seal(): Promise<void> {
    await run(
      versions.pool,
      sql`update websites_v2.session_day_states set is_sealed = true where website = ${named()}`,
    );
    await run(
      versions.pool,
      sql`insert into websites_v2.session_days (website, day, number, size, countries, device_types, last_at, version)
        select website, day, 0, 0, '{}', '{}', changed_at, 0 from websites_v2.session_day_states where website = ${named()}`,
    );
  }

  async function days(): Promise<Record<string, number>> {
    const rows = await run<{ day: string; changes: number }>(
      versions.pool,
      sql`select day::text, changes from websites_v2.session_day_states where website = ${named()} order by day`,
    );
    return Object.fromEntries(rows.map(({ day, changes }) => [day, changes]));
  }

  async function sealed() {
    const [row] = await run<{ states: string[]; rows: string[] }>(
      versions.pool,
      sql`select array(select day::text from websites_v2.session_day_states where website = ${named()} and is_sealed
          order by day) as states,
        array(select day::text from websites_v2.session_days where website = ${named()} order by day) as rows`,
    );
    return row;
  }
});
