import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { dayOf } from '@ledgerline/domain/time/zones';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { Random } from '../../tools/traffic/random';
import { type SmtpServer, startSmtpServer } from '../mail/smtp-server';
import { unfolded } from '../reports/report-scene';
import { waitUntil } from '../wait-until';
import { Installation } from './installation';
import { create, newTenant, untilTrackerHasCaughtUp, type Tenant } from './tenant';

jest.setTimeout(600_000);

/** `RELIABILITY_REPORT_KILLS=20 npx jest test/reliability/killed-reports`. */
const KILLS = Number(process.env['RELIABILITY_REPORT_KILLS'] ?? 4);
const REPORTS = 12;
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_130);

describe('reports that fall due while two apis and two projectors are killed', () => {
  it(`are mailed once for each report and period (seed ${SEED})`, async () => {
    await run(pool, sql`update report_state set settled_until = settled_until - 40`);
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(500 + random.below(3_000));
      const victim = killed()[random.below(killed().length)];
      const pid = victim?.service.pid;
      if (pid === undefined) throw new Error('There is no process to kill.');
      process.kill(pid, 'SIGKILL');
      if (random.below(2) === 0) smtp.dataReplies.push('451 later');
      await waitUntil(() => victim?.service.pid !== pid); // its end is noticed
      await place.allReady();
    }
    await waitUntil(async () => {
      await run(pool, sql`update destination_sending set next_at = now() where state = 'held_back'`);
      return idsByName().size === REPORTS;
    });
    for (const [name, ids] of idsByName()) expect({ name, mails: ids.size }).toEqual({ name, mails: 1 });
    const made = await run(pool, sql`select from report_mails where recorded_at is not null`);
    expect(made).toHaveLength(REPORTS);
    const recorded = sql`select from deliveries where type = 'report.ready' and state = 'sent'`;
    await waitUntil(async () => (await run(pool, recorded)).length === REPORTS);
    expect(place.failures()).toEqual([]);
  });

  const random = new Random(SEED);
  let smtp: SmtpServer;
  let place: Installation;
  let tenant: Tenant;
  let pool: Pool;

  const killed = () => place.apps.filter(({ name }) => name !== 'tracker');

  beforeAll(async () => {
    smtp = await startSmtpServer();
    const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'Ledgerline <stats@example.com>' };
    const one = { ...mail, PUBLIC_API_URL: 'http://localhost:3000' }; // by which all of them are one installation
    place = await Installation.open({ api: 2, tracker: 1, projector: 2 }, one);
    pool = openPool({ url: place.databaseUrl, name: 'spec', max: 1 });
    tenant = await newTenant(place.url('api'), async (email) => {
      await run(pool, sql`update auth."user" set "emailVerified" = true where email = ${email}`);
    });
    await untilTrackerHasCaughtUp(place.url('tracker'));
    const { organizationId, cookie } = tenant;
    const api = place.url('api');
    const address = 'reader@example.com';
    const reader = { organizationId, name: 'Reader', kind: 'mail', address, sends: [] };
    const id = await create(api, 'destinations', { cookie }, reader);
    const confirmation = /\/v1\/destinations\/\S+\/confirm\?token=[\w.-]+/;
    const link = await waitUntil(() => smtp.mails.flatMap((each) => confirmation.exec(unfolded(each))?.[0] ?? [])[0]);
    expect((await fetch(api + link, { method: 'POST' })).status).toBe(200);
    for (let n = 0; n < REPORTS; n++) {
      const report = { organizationId, name: `Report ${n}.`, timezone: dueZone(), destinationIds: [id] };
      await create(api, 'reports', { cookie }, { ...report, period: n % 2 === 0 ? 'week' : 'month' });
    }
    await waitUntil(async () => (await run(pool, sql`select from report_state`)).length === REPORTS);
    await waitUntil(async () => (await run(pool, sql`select from delivery_sources`)).length > 0);
  });

  afterAll(async () => {
    await pool.end();
    await place.close();
    await smtp.close();
  });

  /** A zone in which it is not before 08:00 of the day. */
  const dueZone = () =>
    dayOf(Date.now() - 8 * 3_600_000, 'UTC') === dayOf(Date.now(), 'UTC') ? 'UTC' : 'Pacific/Auckland';

  /** The ids of mails, by the report that they hold: one that is sent again after a failure has the same id. */
  function idsByName(): ReadonlyMap<string, ReadonlySet<string>> {
    const found = new Map<string, Set<string>>();
    for (const { message } of smtp.mails) {
      const [, name] = /^Subject: (Report \d+\.)/m.exec(message) ?? [];
      const [, id] = /^Message-ID: (\S+)/im.exec(message) ?? [];
      if (name !== undefined && id !== undefined) found.set(name, (found.get(name) ?? new Set()).add(id));
    }
    return found;
  }
});
