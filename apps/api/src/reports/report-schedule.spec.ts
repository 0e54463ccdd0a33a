import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { lastPeriod } from '@ledgerline/domain/reports/report-period';
import { addDays, startOfDay } from '@ledgerline/domain/time/zones';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { colleague } from '@test/api/people';
import { openSendingScene, type SendingScene } from '@test/destinations/sending-scene';
import { pageView } from '@test/events/observed-events';
import { type SmtpServer, startSmtpServer } from '@test/mail/smtp-server';
import { waitUntil } from '@test/wait-until';
import { eraseDeliveries } from '../../../projector/src/deliveries/kept-deliveries';
import { IntakeWriter } from '../intake-writer';
import { LOGGER } from '../tokens';
import { ReportFigures } from './report-figures';
import { ReportMeans } from './report-means';
import { ReportSchedule } from './report-schedule';
import { ReportState } from './report-state';

const WEEK = { period: 'week', timezone: 'Europe/Berlin' } as const;
const HOUR_MS = 3_600_000;
const NOBODY = 'f'.repeat(32);

describe('a report', () => {
  it('is mailed once, by two processes, with the figures of its period', async () => {
    const { mailId, address } = await confirmed();
    const { id } = await create([mailId]);
    await makeDue(id);
    const schedules = [newSchedule(), newSchedule()];
    await Promise.all(schedules.map((each) => each.tick(due())));
    await Promise.all(schedules.map((each) => each.tick(due() + HOUR_MS)));
    const mail = await smtp.take();
    expect(mail.to).toEqual([address]);
    const message = unfolded(mail);
    expect(message).toContain('Content-Type: text/html');
    expect(message).toMatch(/Visitors 2 \(\+100 %\)/);
    expect(message).toContain('/pricing');
    expect(message).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(message).toMatch(/<a href=3D"[^"]*unsubscribe|<a href="[^"]*unsubscribe/);
    await untilSent(mailId);
    expect(await listed(mailId)).toMatchObject([{ type: 'report.ready', state: 'sent' }]);
    expect(mails()).toHaveLength(1);
  });

  it('is recorded again under the same id after a kill, and sent once', async () => {
    const { mailId } = await confirmed();
    const { id } = await create([mailId]);
    await makeDue(id);
    await newSchedule().tick(due());
    await smtp.take();
    await run(scene.pool, sql`update report_mails set recorded_at = null where report_id = ${id}`);
    await newSchedule().tick(due());
    const isRecorded = sql`select from report_mails where report_id = ${id} and recorded_at is not null`;
    expect(await run(scene.pool, isRecorded)).toHaveLength(1);
    expect(await listed(mailId)).toHaveLength(1);
  });

  it('is taken over from a process that dies while it collects', async () => {
    const { mailId } = await confirmed();
    const { id } = await create([mailId]);
    await makeDue(id);
    const dying = sql`update report_state set claim = gen_random_uuid(), claimed_until = now() + interval '1 minute' where report_id = ${id}`;
    await run(scene.pool, dying);
    await newSchedule().tick(due());
    expect(mails()).toEqual([]);
    await run(scene.pool, sql`update report_state set claimed_until = now() where report_id = ${id}`);
    await newSchedule().tick(due());
    await smtp.take();
  });

  it('waits for the events of its period, for 12 hours, and then names the gap', async () => {
    const { mailId } = await confirmed();
    const { id } = await create([mailId]);
    const coming = lastPeriod(WEEK, lastPeriod(WEEK, Date.now()).dueAt + 7 * 24 * HOUR_MS);
    await newSchedule().tick(Date.now());
    for (const at of [coming.dueAt - 1, coming.dueAt, coming.dueAt + 12 * HOUR_MS - 1]) {
      await run(scene.pool, sql`update report_state set next_at = now() where report_id = ${id}`);
      await newSchedule().tick(at);
      expect(mails()).toEqual([]);
    }
    await run(scene.pool, sql`update report_state set next_at = now() where report_id = ${id}`);
    await newSchedule().tick(coming.dueAt + 12 * HOUR_MS);
    expect(unfolded(await smtp.take())).toContain('Note: Shop: events of this time may be missing');
  });

  it('of a period that was over before it was made, or while it was paused, is never sent', async () => {
    const { mailId } = await confirmed();
    const { id } = await create([mailId]);
    await newSchedule().tick(due());
    expect(await settled(id)).toBe(days().nextDate);
    await makeDue(id);
    await change(id, { enabled: false });
    await newSchedule().tick(due());
    await change(id, { enabled: true });
    await newSchedule().tick(due());
    expect(await settled(id)).toBe(days().nextDate);
    expect(await run(scene.pool, sql`select from report_mails where report_id = ${id}`)).toEqual([]);
  });

  it('is paused, and owners and admins told, once who answers for it is no admin any more', async () => {
    const admin = await colleague(scene.api, scene.owner, 'admin');
    const { mailId } = await confirmed();
    const { id } = await create([mailId], admin.headers);
    await makeDue(id);
    const path = `PATCH /v1/organizations/${scene.owner.organizationId}/members/${admin.id}` as const;
    expect((await ask(scene.api, path, { ...scene.owner, body: { role: 'member' } })).status).toBe(200);
    await newSchedule().tick(due());
    await newSchedule().tick(due());
    expect((await shown(id)).body).toMatchObject({ enabled: false, ownerId: admin.id });
    const told = sql`select user_id as "userId", subject from delivery_notices`;
    expect(await run(scene.pool, told)).toEqual([
      { userId: scene.owner.id, subject: 'Weekly figures: the report is paused' },
    ]);
    const [entry] = await readAuditLog(scene.api, scene.owner, { targetId: id });
    expect(entry).toMatchObject({ action: 'report.updated', actor: { type: 'system' } });
    await change(id, { enabled: true });
    expect((await shown(id)).body).toMatchObject({ enabled: true, ownerId: scene.owner.id });
  });

  it('goes to a webhook as a message with its figures', async () => {
    const { id: destinationId } = await scene.create({ name: `Hook ${++names}`, url: receiver.url });
    const { id } = await create([destinationId]);
    await makeDue(id);
    await newSchedule().tick(due());
    const message = await waitUntil(() => receiver.bodies[0]);
    const { startDate, endDate } = days();
    expect(JSON.parse(message)).toMatchObject({
      type: 'report.ready',
      data: {
        reportId: id,
        name: 'Weekly figures',
        startDate,
        endDate,
        timezone: 'Europe/Berlin',
        websites: [{ websiteId: scene.owner.websiteId, name: 'Shop', visitors: 2, visitorsBefore: 1 }],
        gaps: [],
      },
    });
  });

  it('does not go to a destination that is not told of all of its websites any more', async () => {
    const { mailId } = await confirmed();
    const { id: destinationId } = await scene.create({ name: `Hook ${++names}`, url: receiver.url });
    const { id } = await create([mailId, destinationId]);
    await makeDue(id);
    const changes = { body: { websiteIds: [scene.owner.websiteId] }, headers: scene.owner.headers };
    expect((await ask(scene.api, `PATCH /v1/destinations/${mailId}`, changes)).status).toBe(200);
    await scene.catchUp();
    await newSchedule().tick(due());
    await waitUntil(() => receiver.bodies[0]);
    expect(await listed(mailId)).toEqual([]);
  });

  it('is not made by a copy of the installation', async () => {
    const { mailId } = await confirmed();
    const { id } = await create([mailId]);
    await makeDue(id);
    const { publicApiUrl } = scene.api.settings;
    await run(scene.pool, sql`update delivery_sender set public_api_url = 'https://original.example'`);
    await newSchedule().tick(due());
    await run(scene.pool, sql`update delivery_sender set public_api_url = ${publicApiUrl}`);
    expect(await run(scene.pool, sql`select from report_mails where report_id = ${id}`)).toEqual([]);
  });
});

describe('what is erased', () => {
  it('leaves the mails of reports, also those that wait', async () => {
    const { mailId } = await confirmed();
    const { id } = await create([mailId]);
    await makeDue(id);
    await newSchedule().tick(due());
    await smtp.take();
    const until = new Date().toISOString();
    await run(
      scene.pool,
      sql`insert into erasure_rules (erasure_id, organization_id, website_id, kind, subject, id, until)
        values ('era_1', ${scene.owner.organizationId}, 'site_1', 'visitor', 'site_1', ${NOBODY}, ${until}::timestamptz)`,
    );
    await untilSent(mailId);
    await eraseDeliveries(scene.pool, [scene.pool]);
    await run(scene.pool, sql`delete from erasure_rules where erasure_id = 'era_1'`);
    expect(await listed(mailId)).toMatchObject([{ state: 'erased', body: null }]);
    const kept = await run(scene.pool, sql`select body, html from report_mails where report_id = ${id}`);
    expect(kept).toEqual([{ body: null, html: null }]);
  });
});

let scene: SendingScene;
let smtp: SmtpServer;
let receiver: { readonly url: string; readonly bodies: string[]; close(): void };
let names = 0;

beforeAll(async () => {
  smtp = await startSmtpServer();
  scene = await openSendingScene({ SMTP_URL: smtp.url, MAIL_FROM: 'stats@example.com' });
  receiver = await startReceiver();
  await scene.api.app.get(ReportSchedule).beforeApplicationShutdown(); // it would go by the clock
  await scene.create({ name: 'Clicks', url: receiver.url, sends: ['link.clicked'] }); // so that the log is read from now on
  await scene.startSender();
  await scene.startSource();
  await waitUntil(async () => (await run(scene.pool, sql`select from delivery_sender, delivery_sources`)).length > 0);
  const { startDate } = days();
  const { websiteId, organizationId } = scene.owner;
  const at = (day: string) => startOfDay(day, WEEK.timezone) + 12 * HOUR_MS;
  const view = (day: string, visitor: string, path: string) =>
    pageView(at(day), { organizationId, websiteId, visitorId: visitor.repeat(32), zone: 'UTC', path });
  await scene.observe(websiteId, [
    view(addDays(startDate, -3), 'a', '/'),
    view(startDate, 'a', '/'),
    view(startDate, 'b', '/pricing'),
  ]);
});

beforeEach(() => {
  receiver.bodies.length = 0;
});

afterEach(async () => {
  const { headers, organizationId } = scene.owner;
  const { body } = await ask(scene.api, `GET /v1/reports?organizationId=${organizationId}`, { headers });
  for (const { id } of body.data as { id: string }[]) await ask(scene.api, `DELETE /v1/reports/${id}`, { headers });
  expect(scene.warnings).toEqual([]);
});

afterAll(async () => {
  await scene.close();
  await smtp.close();
  receiver.close();
});

const days = () => lastPeriod(WEEK, Date.now());
const due = () => days().dueAt;

const newSchedule = () => {
  const { app } = scene.api;
  const of = [app.get(ReportMeans), app.get(ReportState), app.get(ReportFigures), app.get(IntakeWriter)] as const;
  return new ReportSchedule(...of, app.get<Logger>(LOGGER));
};

const create = async (destinationIds: readonly string[], headers: object = scene.owner.headers) => {
  const body = { organizationId: scene.owner.organizationId, name: 'Weekly figures', ...WEEK, destinationIds };
  const made = await ask(scene.api, 'POST /v1/reports', { body, headers: headers as Record<string, string> });
  if (made.status !== 201) throw new Error(made.text);
  await scene.catchUp();
  return { id: String(made.body.id) };
};

/** The last period that is over is the next one that is sent, and everybody knows of the report. */
async function makeDue(id: string): Promise<void> {
  await newSchedule().tick(due());
  await run(scene.pool, sql`update report_state set settled_until = settled_until - 7 where report_id = ${id}`);
}

const settled = async (id: string) => (await scene.api.app.get(ReportState).settled()).get(id);

const shown = (id: string) => ask(scene.api, `GET /v1/reports/${id}`, scene.owner);

const change = (id: string, body: object) =>
  ask(scene.api, `PATCH /v1/reports/${id}`, { body, headers: scene.owner.headers });

const listed = async (id: string) =>
  (await ask(scene.api, `GET /v1/destinations/${id}/deliveries`, scene.owner)).body.data as Record<string, unknown>[];

const untilSent = (destinationId: string) =>
  waitUntil(async () => {
    const sent = sql`select from deliveries where destination_id = ${destinationId} and state = 'sent'`;
    return (await run(scene.pool, sent)).length > 0;
  });

type Received = SmtpServer['mails'][number];

/** Those that hold a report. */
const mails = () => smtp.mails.filter(({ message }) => /^Subject: Weekly figures/m.test(message)).slice(before);
let before = 0;

beforeEach(() => {
  before = smtp.mails.filter(({ message }) => /^Subject: Weekly figures/m.test(message)).length;
});

/** Soft breaks of quoted-printable are within lines. */
const unfolded = ({ message }: Received) => message.replaceAll('=\n', '').replaceAll('=3D', '=').replaceAll('=2E', '.');

/** A mailbox whose reader wants its mails. */
async function confirmed() {
  const address = `reader-${++names}@reader.example`;
  const { id: mailId } = await scene.create({ name: `Mail ${names}`, kind: 'mail', address, sends: [] });
  const linkIn = (mail: Received) => /\/v1\/destinations\/\S+\/confirm\?token=[\w.-]+/.exec(unfolded(mail))?.[0];
  let link = linkIn(await smtp.take());
  while (link === undefined) link = linkIn(await smtp.take()); // an invitation came before
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { statusCode } = await scene.api.app.inject({ method: 'POST', url: link, payload: '', headers });
  expect(statusCode).toBe(200);
  await scene.catchUp();
  return { mailId, address };
}

async function startReceiver() {
  const bodies: string[] = [];
  const server = createServer((request, reply) => {
    void text(request).then((body) => {
      bodies.push(body);
      reply.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, bodies, close: () => void server.close() };
}
