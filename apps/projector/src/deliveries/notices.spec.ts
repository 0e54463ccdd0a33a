import { run } from '@ledgerline/platform/database/pool';
import { type Sql, sql } from '@ledgerline/platform/database/sql';
import { ask } from '@test/api/ask';
import { colleague, type Person } from '@test/api/people';
import { startReceiver, type Receiver } from '@test/destinations/receiver';
import { openSendingScene, type SendingScene } from '@test/destinations/sending-scene';
import { type SmtpServer, startSmtpServer, textOf } from '@test/mail/smtp-server';
import { waitUntil } from '@test/wait-until';

describe('owners and admins', () => {
  it('are mailed once that a destination is off, at most once an hour, and members are not', async () => {
    const name = 'On-call\u2028<b>';
    const id = await inTrouble(name, 410, 'off');
    await scene.startNotices();
    await waitUntil(() => notices().length === 2);
    expect(notices().flatMap(({ to }) => to)).toEqual(expect.arrayContaining([scene.owner.email, admin.email]));
    const page = `${scene.api.settings.publicApiUrl}/console/organizations/${scene.owner.organizationId}/destinations/${id}`;
    expect(textOf(notices()[0]!)).toContain(`On-call <b> is off: `);
    expect(textOf(notices()[0]!).replaceAll('=\n', '')).toContain(page);
    await inTrouble('Second', 422, 'ok');
    await passHour();
    await waitUntil(() => notices().length === 4);
    expect(textOf(notices()[3]!)).toContain('Second refused a message');
    expect(textOf(notices()[3]!)).not.toContain('On-call');
    const stored = await run(scene.pool, sql`select from delivery_notices`);
    expect(stored).toHaveLength(4);
  });

  it('are not mailed within an hour, nor of what was held back for less than five minutes', async () => {
    await inTrouble('First', 410, 'off');
    await inTrouble('Busy', 503, 'held_back');
    const told = () => run(scene.pool, sql`select told from destination_sending order by told`);
    await scene.startNotices();
    await waitUntil(() => notices().length === 2);
    expect(textOf(notices()[0]!)).not.toContain('Busy');
    await set(sql`failing_since = now() - interval '6 minutes' where state = 'held_back'`);
    await set(sql`state = 'ok', failing_since = null where state = 'off'`);
    await waitUntil(async () => (await told()).every((each) => each['told'] === ''));
    expect(notices()).toHaveLength(2);
    await passHour();
    await waitUntil(() => notices().length === 4);
    expect(textOf(notices()[3]!)).toContain('Busy holds messages back');
  });

  it('get the same mail again after a failure, but for who is an admin no more', async () => {
    await inTrouble('Failing', 410, 'off');
    smtp.replies.push('451 later', '451 later');
    const first = await scene.startNotices();
    await waitUntil(async () => (await rows(sql`status = 451`)) === 2);
    await first.stop();
    const { headers, organizationId } = scene.owner;
    const role = { body: { role: 'member' }, headers };
    await ask(scene.api, `PATCH /v1/organizations/${organizationId}/members/${admin.id}`, role);
    await scene.catchUp();
    await run(scene.pool, sql`update delivery_notices set next_at = now()`);
    await scene.startNotices();
    await waitUntil(async () => (await rows(sql`next_at is null`)) === 2);
    expect(notices().map(({ to }) => to)).toEqual([[scene.owner.email]]);
    const [{ id }] = (await run(scene.pool, sql`select id from delivery_notices where status = 250`)) as [
      { id: string },
    ];
    expect(notices()[0]!.message).toContain(`Message-ID: <${id}@`);
  });

  it('are mailed nothing by a copy', async () => {
    await inTrouble('Copied', 410, 'off');
    await run(scene.pool, sql`update delivery_sender set public_api_url = 'https://other.example'`);
    let looks = 0;
    await scene.startNotices(() => (looks += 1));
    await waitUntil(() => looks > 2);
    expect(await rows(sql`true`)).toBe(0);
  });
});

let scene: SendingScene;
let smtp: SmtpServer;
let receiver: Receiver;
let admin: Person;

beforeAll(async () => {
  smtp = await startSmtpServer();
  scene = await openSendingScene({ SMTP_URL: smtp.url, MAIL_FROM: 'stats@example.com' });
  admin = await colleague(scene.api, scene.owner, 'admin');
  await colleague(scene.api, scene.owner, 'member');
  await scene.catchUp();
  receiver = await startReceiver();
  receiver.answers = ({ headers }) => Number(headers['x-answer']);
});

beforeEach(async () => {
  const { port } = new URL(smtp.url);
  await smtp.close();
  smtp = await startSmtpServer(Number(port));
});

afterEach(async () => {
  await scene.reset();
  await run(scene.pool, sql`delete from delivery_notices`);
  await run(scene.pool, sql`delete from delivery_sender`);
});

afterAll(async () => {
  await scene.close();
  await Promise.all([smtp.close(), receiver.stop()]);
});

/** A destination whose receiver answers so, and that has come to this state; nothing is sent any more then. */
async function inTrouble(name: string, status: number, state: string): Promise<string> {
  const headers = { 'x-answer': String(status) };
  const { id } = await scene.create({ name, url: receiver.url, sends: ['tag.created'], headers });
  const sender = await scene.startSender();
  await scene.addTags(1);
  await waitUntil(async () => {
    await scene.hurry();
    const one = sql`select from destination_sending s where destination_id = ${id} and state = ${state} and status = ${status}
      and (state <> 'ok' or exists (select from deliveries d where d.destination_id = s.destination_id and d.state = 'set_aside'))`;
    return (await run(scene.pool, one)).length > 0;
  });
  await sender.stop();
  return id;
}

const notices = () => smtp.mails.filter(({ message }) => message.includes('Subject: Acme: not all messages arrive'));

const passHour = () => run(scene.pool, sql`update delivery_notices set created_at = created_at - interval '1 hour'`);

const set = (changes: Sql) => run(scene.pool, sql`update destination_sending set ${changes}`);

const rows = async (where: Sql) => (await run(scene.pool, sql`select from delivery_notices where ${where}`)).length;
