import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type PastPeriod, lastReportPeriod } from '@ledgerline/domain/reports/report-period';
import { addDays, startOfDay } from '@ledgerline/domain/time/zones';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { IntakeWriter } from '../../apps/api/src/intake-writer';
import { AdminNotices } from '../../apps/api/src/organizations/admin-notices';
import { ReportFigures } from '../../apps/api/src/reports/report-figures';
import { ReportMeans } from '../../apps/api/src/reports/report-means';
import { ReportSchedule } from '../../apps/api/src/reports/report-schedule';
import { ReportState } from '../../apps/api/src/reports/report-state';
import { LOGGER } from '../../apps/api/src/tokens';
import { ask } from '../api/ask';
import { openSendingScene, type SendingScene } from '../destinations/sending-scene';
import { pageView } from '../events/observed-events';
import { type SmtpServer, startSmtpServer } from '../mail/smtp-server';
import { waitUntil } from '../wait-until';

type ReceivedMail = SmtpServer['mails'][number];

/** An api with a projector that sends, a mail server and a receiver, whose website had visitors in the last two weeks. */
export interface ReportScene {
  readonly scene: SendingScene;
  readonly smtp: SmtpServer;
  /** The bodies that the webhook was sent. */
  readonly received: readonly string[];
  /** The week whose report is due. */
  readonly days: PastPeriod;
  /** The mails that hold a report, of this test. */
  mails(): readonly ReceivedMail[];
  /** A mailbox whose reader wants its mails. */
  mailbox(): Promise<{ readonly mailId: string; readonly address: string }>;
  webhook(): Promise<string>;
  /** A report that every process knows, of the week that has begun. */
  create(destinationIds: readonly string[], headers?: Readonly<Record<string, string>>): Promise<string>;
  /** The last week that is over is the next one that is sent. */
  makeDue(reportId: string): Promise<void>;
  /** A schedule as another process has it. */
  schedule(): ReportSchedule;
  /** Forgets reports, and what was sent. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export const WEEK = { period: 'week', timezone: 'Europe/Berlin' } as const;
const NOON_MS = 12 * 3_600_000;
const NAME = 'Weekly figures';

export async function openReportScene(): Promise<ReportScene> {
  const smtp = await startSmtpServer();
  const scene = await openSendingScene({ SMTP_URL: smtp.url, MAIL_FROM: 'stats@example.com' });
  const receiver = await startReceiver();
  const { api, owner, pool } = scene;
  const { organizationId, websiteId } = owner;
  const days = lastReportPeriod(WEEK, Date.now());
  await api.app.get(ReportSchedule).beforeApplicationShutdown(); // it would go by the clock
  await scene.create({ name: 'Clicks', url: receiver.url, sends: ['link.clicked'] }); // so that the log is read from now on
  await scene.startSender();
  await scene.startSource();
  await waitUntil(async () => (await run(pool, sql`select from delivery_sender, delivery_sources`)).length > 0);
  const view = (day: string, visitor: string, path: string) =>
    pageView(startOfDay(day, WEEK.timezone) + NOON_MS, {
      organizationId,
      websiteId,
      visitorId: visitor.repeat(32),
      path,
    });
  await scene.observe(websiteId, [
    view(addDays(days.startDate, -3), 'a', '/'),
    view(days.startDate, 'a', '/'),
    view(days.startDate, 'b', '/pricing'),
  ]);
  let names = 0;
  let before = 0;
  const ofReports = () => smtp.mails.filter(({ message }) => message.includes(`\nSubject: ${NAME}`));
  const schedule = () => {
    const { app } = api;
    const of = [app.get(ReportMeans), app.get(ReportState), app.get(ReportFigures), app.get(IntakeWriter)] as const;
    return new ReportSchedule(...of, app.get(AdminNotices), app.get<Logger>(LOGGER));
  };
  return {
    scene,
    smtp,
    received: receiver.bodies,
    days,
    schedule,
    mails: () => ofReports().slice(before),
    mailbox: async () => {
      const address = `reader-${++names}@reader.example`;
      const { id: mailId } = await scene.create({ name: `Mail ${names}`, kind: 'mail', address, sends: [] });
      const url = await waitUntil(() => smtp.mails.flatMap((mail) => confirmationOf(mail, mailId))[0]);
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const { statusCode } = await api.app.inject({ method: 'POST', url, payload: '', headers });
      if (statusCode !== 200) throw new Error(`The address was not confirmed: ${statusCode}`);
      await scene.catchUp();
      return { mailId, address };
    },
    webhook: async () => (await scene.create({ name: `Hook ${++names}`, url: receiver.url })).id,
    create: async (destinationIds, headers = owner.headers) => {
      const body = { organizationId, name: NAME, ...WEEK, destinationIds };
      const made = await ask(api, 'POST /v1/reports', { body, headers });
      if (made.status !== 201) throw new Error(`No report was created: ${made.text}`);
      await scene.catchUp();
      return String(made.body.id);
    },
    makeDue: async (reportId) => {
      await schedule().runOnce(days.dueAt);
      await run(pool, sql`update report_state set settled_until = settled_until - 7 where report_id = ${reportId}`);
    },
    reset: async () => {
      const { headers } = owner;
      const { body } = await ask(api, `GET /v1/reports?organizationId=${organizationId}`, { headers });
      for (const { id } of body.data as { id: string }[]) await ask(api, `DELETE /v1/reports/${id}`, { headers });
      receiver.bodies.length = 0;
      before = ofReports().length;
    },
    close: async () => {
      await scene.close();
      await smtp.close();
      receiver.close();
    },
  };
}

/** Soft breaks of quoted-printable are within lines. */
export const unfolded = ({ message }: ReceivedMail): string =>
  message.replaceAll('=\n', '').replaceAll('=3D', '=').replaceAll('=2E', '.');

const confirmationOf = (mail: ReceivedMail, id: string): readonly string[] =>
  new RegExp(String.raw`/v1/destinations/${id}/confirm\?token=[\w.-]+`).exec(unfolded(mail))?.slice(0, 1) ?? [];

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
