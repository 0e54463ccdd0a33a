import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { Random } from '../../tools/traffic/random';
import { untilAnswer } from '../journeys/product';
import { type KafkaCluster, startKafka } from '../kafka/cluster';
import { describeOnKafka } from '../kafka/on-kafka';
import { type SmtpServer, startSmtpServer } from '../mail/smtp-server';
import { waitUntil } from '../wait-until';
import { Installation } from './installation';
import { clicksOn, logged } from './log-audit';
import { untilSpoolIsEmpty } from './spooled-clicks';
import { AS_BROWSER, create, newTenant, untilTrackerHasCaughtUp, type Tenant } from './tenant';
import { untilCopied } from './until-copied';

jest.setTimeout(900_000);

/** `RELIABILITY_SENDER_KILLS=20 npx jest test/reliability/killed-senders`, as in `npm run prove`. */
const KILLS = Number(process.env['RELIABILITY_SENDER_KILLS'] ?? 4);
/** A reader gets 20 mails an hour, the last of which would join others. */
const MAILS = 18;
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_130);

const NAME = 'destinations whose receivers fail and stall while processes are killed';

describe(NAME, () => killSenders(() => Promise.resolve({})));

const onKafka = () => {
  let cluster: KafkaCluster;
  killSenders(async () => {
    cluster = await startKafka();
    return { INTAKE_LOG: 'kafka', KAFKA_BROKERS: cluster.connection.brokers.join(',') };
  });
  afterAll(() => cluster.remove());
};

describeOnKafka(`${NAME}, on Kafka,`, onKafka, { ownBrokers: true });

/** The tests of one installation, which has these variables, too. */
function killSenders(variables: () => Promise<NodeJS.ProcessEnv>): void {
  it(`get everything at least once, in order, and nothing twice but with the same bytes (seed ${SEED})`, async () => {
    const names: string[] = [];
    const monitors: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const pid = place.apps[random.below(place.apps.length)]?.service.pid;
      if (pid === undefined) throw new Error('There is no process to kill.');
      process.kill(pid, 'SIGKILL');
      for (let n = 0; n < 5; n++) {
        names.push(await addTag(`Tag ${kill} ${n}`));
        await follow();
      }
      if (monitors.length < MAILS) monitors.push(await addMonitor(`killed-${kill}`));
      if (random.below(2) === 0) smtp.dataReplies.push('451 later');
      await sleep(500);
      await place.allReady();
    }
    answers = () => 204;
    await waitUntil(() => messagesOf('tag.created').length === 5 * KILLS);
    await untilSpoolIsEmpty(place.folder);
    await untilCopied(place.databaseUrl);
    const clicks = clicksOn(tenant.linkId, await logged(place.databaseUrl)).length;
    const counted = () => messagesOf('link.clicked').reduce((sum, { data }) => sum + Number(data['count']), 0);
    await waitUntil(() => counted() >= clicks);
    expect(counted()).toBe(clicks);
    const told = messagesOf('tag.created').map(({ data }) => (data['target'] as { name: string }).name);
    expect(told).toEqual(names);
    const offsets = messagesOf('link.clicked').map(({ data }) => (data['position'] as { offset: number }).offset);
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    const bodies = new Map<string, string>();
    for (const { id, body } of received) expect(body).toBe(bodies.set(id, bodies.get(id) ?? body).get(id));
    await waitUntil(() => mailed().length >= monitors.length);
    expect(mailed()).toEqual(monitors);
    expect(place.failures()).toEqual([]);
  });

  const random = new Random(SEED);
  const received: { readonly id: string; readonly body: string }[] = [];
  let answers: () => number | undefined = () =>
    random.below(4) === 0 ? 503 : random.below(12) === 0 ? undefined : 204;
  let smtp: SmtpServer;
  let place: Installation;
  let tenant: Tenant;

  const server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ id: String(request.headers['webhook-id']), body: Buffer.concat(chunks).toString() });
      const status = answers();
      if (status === undefined) request.socket.destroy();
      else reply.writeHead(status).end();
    });
  });

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    smtp = await startSmtpServer();
    const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'Ledgerline <stats@example.com>' };
    const more = { DESTINATION_ALLOW: '127.0.0.0/8', ...mail, ...(await variables()) };
    place = await Installation.open({ api: 1, tracker: 1, projector: 2 }, more);
    const pool = openPool({ url: place.databaseUrl, name: 'spec', max: 1 });
    tenant = await newTenant(place.url('api'), async (email) => {
      await run(pool, sql`update auth."user" set "emailVerified" = true where email = ${email}`);
    });
    await untilTrackerHasCaughtUp(place.url('tracker'));
    const { organizationId, cookie } = tenant;
    const destination = { organizationId, name: 'Receiver', kind: 'webhook', url: `http://127.0.0.1:${port}/` };
    const sends = ['tag.created', 'link.clicked'];
    await create(place.url('api'), 'destinations', { cookie }, { ...destination, sends });
    await addTag('First');
    await waitUntil(() => messagesOf('tag.created').length === 1);
    received.length = 0;
    await addMailDestination();
    await waitUntil(async () => (await run(pool, sql`select from delivery_sources`)).length > 0);
    await pool.end();
  });

  afterAll(async () => {
    await place.close();
    await smtp.close();
    server.closeAllConnections();
    server.close();
  });

  /** One whose reader wants it. */
  async function addMailDestination(): Promise<void> {
    const { organizationId, cookie } = tenant;
    const reader = { name: 'Reader', kind: 'mail', address: 'reader@example.com', sends: ['monitor.created'] };
    await create(place.url('api'), 'destinations', { cookie }, { organizationId, ...reader });
    const confirmation = /\/v1\/destinations\/\S+\/confirm\?token=[\w.-]+/;
    const link = await waitUntil(() => smtp.mails.flatMap((each) => confirmation.exec(unfolded(each))?.[0] ?? [])[0]);
    const { status } = await fetch(place.url('api') + link, { method: 'POST' });
    expect(status).toBe(200);
  }

  /** Soft breaks of quoted-printable are within links. */
  const unfolded = ({ message }: SmtpServer['mails'][number]) => message.replaceAll('=\n', '').replaceAll('=3D', '=');

  /** The monitors that mails are about, each once. */
  const mailed = () => [...new Set(smtp.mails.flatMap((each) => /\bkilled-\d+\b/.exec(unfolded(each))?.[0] ?? []))];

  /** Each once, in the order in which they first came. */
  function messagesOf(wanted: string) {
    const first = new Map(received.toReversed().map(({ id, body }) => [id, body]));
    const ids = [...new Set(received.map(({ id }) => id))];
    return ids
      .map((id) => JSON.parse(first.get(id) ?? '') as { type: string; data: Readonly<Record<string, unknown>> })
      .filter(({ type }) => type === wanted);
  }

  async function addTag(name: string): Promise<string> {
    await add('tags', { name });
    return name;
  }

  async function addMonitor(name: string): Promise<string> {
    await add('monitors', { name, url: 'https://shop.example/', paused: true });
    return name;
  }

  /** Repeated under one key until it is answered, so that it is there once. */
  async function add(
    what: string,
    { name, ...more }: { readonly name: string; readonly [field: string]: string | boolean },
  ) {
    const headers = {
      'content-type': 'application/json',
      'x-api-key': tenant.key,
      'idempotency-key': name.replaceAll(' ', '-'),
    };
    const body = JSON.stringify({ organizationId: tenant.organizationId, name, ...more });
    await untilAnswer(
      () => fetch(`${place.url('api')}/v1/${what}`, { method: 'POST', headers, body }),
      ({ status }) => status === 201,
    );
  }

  async function follow(): Promise<void> {
    await untilAnswer(
      () => fetch(`${place.url('tracker')}/${tenant.slug}`, { redirect: 'manual', headers: AS_BROWSER }),
      ({ status }) => status === 302,
    );
  }
}
