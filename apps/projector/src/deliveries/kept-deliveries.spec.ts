import type { Pool } from 'pg';
import { openPool, run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { dropOldDeliveries, eraseDeliveries, insertDeliveries } from './kept-deliveries';
import { DestinationSending } from './sending';

describe('messages that are kept', () => {
  it('lose clicks of a link after an erasure: what waits is sent without them, under another id', async () => {
    await keep('sent', 'link_1', ITEMS);
    await keep('waiting', 'link_1', ITEMS);
    await keep('waiting', 'link_2', ITEMS);
    await keep('sent', 'link_1', TEXT);
    await run(
      pool,
      sql`insert into erasure_rules (erasure_id, organization_id, website_id, kind, subject, id, until)
        values ('era_1', 'org_1', 'site_1', 'click', 'link_1', 'id', now())`,
    );
    await eraseDeliveries(pool, [pool]);
    const [sent, waiting, other, text] = await kept();
    expect(sent).toMatchObject({ state: 'erased', body: null, id: ids[0] });
    expect(JSON.parse(waiting?.body ?? '')).toEqual({ type: 'link.clicked', data: { count: 1, items: [] } });
    expect(waiting?.id).not.toBe(ids[1]);
    expect(other).toMatchObject({ id: ids[2], body: ITEMS });
    expect(text).toMatchObject({ state: 'sent', body: TEXT });
    const before = await kept();
    await eraseDeliveries(pool, [pool]);
    expect(await kept()).toEqual(before);
  });

  it('lose the mails of reports after an erasure in their organization, but for their first line while they wait', async () => {
    await keep('sent', null, 'Weekly\n/a', 'report.ready', '<p>/a</p>');
    await keep('waiting', null, 'Weekly\n/a', 'report.ready', '<p>/a</p>');
    await run(
      pool,
      sql`insert into report_mails (event_id, report_id, organization_id, body, html, event)
        values ('1', 'rpt_1', 'org_1', 'Weekly', '<p>/a</p>', '{}'), ('2', 'rpt_2', 'org_2', 'Weekly', '<p>/a</p>', '{}')`,
    );
    await run(
      pool,
      sql`insert into erasure_rules (erasure_id, organization_id, website_id, kind, subject, id, until)
        values ('era_2', 'org_1', 'site_1', 'visitor', 'site_1', 'id', now())`,
    );
    await eraseDeliveries(pool, [pool]);
    const [sent, waiting] = await kept();
    expect(sent).toMatchObject({ state: 'erased', body: null, html: null, id: ids[0] });
    expect(waiting).toMatchObject({ state: 'waiting', body: 'Weekly', html: null });
    expect(waiting?.id).not.toBe(ids[1]);
    const mails = await run(pool, sql`select body, html from report_mails order by event_id`);
    expect(mails).toEqual([
      { body: null, html: null },
      { body: 'Weekly', html: '<p>/a</p>' },
    ]);
  });

  it('expire after a month of waiting, unless they are of an audit stream, and are forgotten a month after they were sent', async () => {
    await keep('waiting', null, TEXT);
    await keep('sent', null, TEXT);
    await keep('waiting', null, TEXT, 'audit');
    await run(
      pool,
      sql`update deliveries set created_at = now() - interval '31 days', changed_at = now() - interval '31 days'`,
    );
    await dropOldDeliveries(pool);
    expect(await kept()).toMatchObject([
      { state: 'expired', body: null },
      { state: 'waiting', body: TEXT },
    ]);
  });
});

describe('a destination for which nothing waits', () => {
  const claim = '00000000-0000-4000-8000-000000000000';
  const taken = { id: 'dst_1', organizationId: 'org_1', claim, details: {} as never };
  const take = async (sending: DestinationSending) => {
    const until = sql`now() + interval '20 s'`;
    await run(pool, sql`update destination_sending set claim = ${claim}, claimed_until = ${until}`);
    return (await sending.position(taken))!;
  };
  const isDue = async () => (await run(pool, sql`select from destination_sending where next_at <= now()`)).length > 0;

  it('rests until a message is added, also by a transaction that ends meanwhile', async () => {
    const sending = new DestinationSending(pool);
    await sending.rest(taken, await take(sending));
    expect(await isDue()).toBe(false);
    await keep('waiting', null, TEXT);
    expect(await isDue()).toBe(true);
    const position = await take(sending);
    let resting: Promise<void> | undefined;
    await transaction(pool, async (client) => {
      await insertDeliveries(client, 'dst_1', [
        { id: claim, type: 'link.clicked', body: TEXT, subject: null, places: null },
      ]);
      resting = sending.rest(taken, position);
      await waitUntil(async () => (await run(pool, BLOCKED)).length > 0);
    });
    await resting;
    expect(await isDue()).toBe(true);
  });
});

const BLOCKED = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

const ITEMS = JSON.stringify({ type: 'link.clicked', data: { count: 1, items: [{ country: 'DE' }] } });
const TEXT = JSON.stringify({ content: '1 click' });

let database: TestDatabase;
let pool: Pool;
let ids: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  pool = openPool({ url: database.url, name: 'spec', max: 3 });
  ids = [];
  await run(
    pool,
    sql`insert into destination_sending (destination_id, organization_id, next_revision) values ('dst_1', 'org_1', 0)`,
  );
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

async function keep(
  state: string,
  subject: string | null,
  body: string,
  type = 'link.clicked',
  html: string | null = null,
): Promise<void> {
  const id = `00000000-0000-4000-8000-00000000000${ids.push('')}`;
  ids[ids.length - 1] = id;
  await insertDeliveries(pool, 'dst_1', [{ id, type, body, html, subject, places: null }]);
  await run(pool, sql`update deliveries set state = ${state} where id = ${id}`);
}

const kept = () =>
  run<{ id: string; state: string; body: string | null; html: string | null }>(
    pool,
    sql`select id, state, body, html from deliveries order by number`,
  );
