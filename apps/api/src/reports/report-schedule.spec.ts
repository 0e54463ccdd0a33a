import { lastReportPeriod } from '@ledgerline/domain/reports/report-period';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { colleague } from '@test/api/people';
import type { SendingScene } from '@test/destinations/sending-scene';
import { type ReportScene, WEEK, openReportScene, unfolded } from '@test/reports/report-scene';
import { waitUntil } from '@test/wait-until';
import { ReportState } from './report-state';

const HOUR_MS = 3_600_000;

describe('a report', () => {
  it('is mailed once, by two processes, with the figures of its period', async () => {
    const { mailId, address } = await reports.mailbox();
    const id = await reports.create([mailId]);
    await reports.makeDue(id);
    const schedules = [reports.schedule(), reports.schedule()];
    await Promise.all(schedules.map((each) => each.runOnce(reports.days.dueAt)));
    await Promise.all(schedules.map((each) => each.runOnce(reports.days.dueAt + HOUR_MS)));
    const mail = await untilMailed();
    expect(mail.to).toEqual([address]);
    const message = unfolded(mail);
    expect(message).toContain('Content-Type: text/html');
    expect(message).toMatch(/Visitors 2 \(\+100=C2=A0%\)/);
    expect(message).toContain('/pricing');
    expect(message).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(message).toMatch(/<a href=3D"[^"]*unsubscribe|<a href="[^"]*unsubscribe/);
    await untilSent(mailId);
    expect(await listed(mailId)).toMatchObject([{ type: 'report.ready', state: 'sent' }]);
    expect(reports.mails()).toHaveLength(1);
  });

  it('is recorded again under the same id after a kill, and sent once', async () => {
    const { mailId } = await reports.mailbox();
    const id = await reports.create([mailId]);
    await reports.makeDue(id);
    await reports.schedule().runOnce(reports.days.dueAt);
    await untilMailed();
    await run(scene.pool, sql`update report_mails set recorded_at = null where report_id = ${id}`);
    await reports.schedule().runOnce(reports.days.dueAt);
    const isRecorded = sql`select from report_mails where report_id = ${id} and recorded_at is not null`;
    expect(await run(scene.pool, isRecorded)).toHaveLength(1);
    expect(await listed(mailId)).toHaveLength(1);
  });

  it('is taken over from a process that dies while it collects', async () => {
    const { mailId } = await reports.mailbox();
    const id = await reports.create([mailId]);
    await reports.makeDue(id);
    const dying = sql`update report_state set claim = gen_random_uuid(), claimed_until = now() + interval '1 minute' where report_id = ${id}`;
    await run(scene.pool, dying);
    await reports.schedule().runOnce(reports.days.dueAt);
    expect(reports.mails()).toEqual([]);
    await run(scene.pool, sql`update report_state set claimed_until = now() where report_id = ${id}`);
    await reports.schedule().runOnce(reports.days.dueAt);
    await untilMailed();
  });

  it('waits for the events of its period, for 12 hours, and then names the gap', async () => {
    const { mailId } = await reports.mailbox();
    const id = await reports.create([mailId]);
    const coming = lastReportPeriod(WEEK, lastReportPeriod(WEEK, Date.now()).dueAt + 7 * 24 * HOUR_MS);
    await reports.schedule().runOnce(Date.now());
    for (const at of [coming.dueAt - 1, coming.dueAt, coming.dueAt + 12 * HOUR_MS - 1]) {
      await run(scene.pool, sql`update report_state set next_at = now() where report_id = ${id}`);
      await reports.schedule().runOnce(at);
      expect(reports.mails()).toEqual([]);
    }
    await run(scene.pool, sql`update report_state set next_at = now() where report_id = ${id}`);
    await reports.schedule().runOnce(coming.dueAt + 12 * HOUR_MS);
    expect(unfolded(await untilMailed())).toContain('Note: Shop: events of this time may be missing');
  });

  it('of a period that was over before it was made, or while it was paused, is never sent', async () => {
    const { mailId } = await reports.mailbox();
    const id = await reports.create([mailId]);
    await reports.schedule().runOnce(reports.days.dueAt);
    expect(await settled(id)).toBe(reports.days.nextDate);
    await reports.makeDue(id);
    await change(id, { enabled: false });
    await reports.schedule().runOnce(reports.days.dueAt);
    await change(id, { enabled: true });
    await reports.schedule().runOnce(reports.days.dueAt);
    expect(await settled(id)).toBe(reports.days.nextDate);
    expect(await run(scene.pool, sql`select from report_mails where report_id = ${id}`)).toEqual([]);
  });

  it('is paused, and owners and admins told, once who answers for it is no admin any more', async () => {
    const admin = await colleague(scene.api, scene.owner, 'admin');
    const { mailId } = await reports.mailbox();
    const id = await reports.create([mailId], admin.headers);
    await reports.makeDue(id);
    const path = `PATCH /v1/organizations/${scene.owner.organizationId}/members/${admin.id}` as const;
    expect((await ask(scene.api, path, { ...scene.owner, body: { role: 'member' } })).status).toBe(200);
    await reports.schedule().runOnce(reports.days.dueAt);
    await reports.schedule().runOnce(reports.days.dueAt);
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
    const destinationId = await reports.webhook();
    const id = await reports.create([destinationId]);
    await reports.makeDue(id);
    await reports.schedule().runOnce(reports.days.dueAt);
    const message = await waitUntil(() => reports.received[0]);
    const { startDate, endDate } = reports.days;
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
    const { mailId } = await reports.mailbox();
    const destinationId = await reports.webhook();
    const id = await reports.create([mailId, destinationId]);
    await reports.makeDue(id);
    const changes = { body: { websiteIds: [scene.owner.websiteId] }, headers: scene.owner.headers };
    expect((await ask(scene.api, `PATCH /v1/destinations/${mailId}`, changes)).status).toBe(200);
    await scene.catchUp();
    await reports.schedule().runOnce(reports.days.dueAt);
    await waitUntil(() => reports.received[0]);
    expect(await listed(mailId)).toEqual([]);
  });

  it('is not made by a copy of the installation', async () => {
    const { mailId } = await reports.mailbox();
    const id = await reports.create([mailId]);
    await reports.makeDue(id);
    const { publicApiUrl } = scene.api.settings;
    await run(scene.pool, sql`update delivery_sender set public_api_url = 'https://original.example'`);
    await reports.schedule().runOnce(reports.days.dueAt);
    await run(scene.pool, sql`update delivery_sender set public_api_url = ${publicApiUrl}`);
    expect(await run(scene.pool, sql`select from report_mails where report_id = ${id}`)).toEqual([]);
  });
});

let reports: ReportScene;
let scene: SendingScene;

beforeAll(async () => {
  reports = await openReportScene();
  ({ scene } = reports);
});

afterEach(async () => {
  await reports.reset();
  expect(scene.warnings).toEqual([]);
});

afterAll(() => reports.close());

const untilMailed = () => waitUntil(() => reports.mails()[0]);

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
