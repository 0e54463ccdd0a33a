import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { colleague, newKey } from '@test/api/people';
import { openSendingScene, type SendingScene } from '@test/destinations/sending-scene';
import { type SmtpServer, startSmtpServer, textOf } from '@test/mail/smtp-server';
import { waitUntil } from '@test/wait-until';

describe('a mail', () => {
  it('is sent nothing before its reader has pressed the button of the first mail', async () => {
    const { id } = await unconfirmed();
    expect(await shown(id)).toMatchObject({ state: 'unconfirmed', url: '…@reader.example', format: 'text' });
    expect((await scene.post(`/v1/destinations/${id}/test`)).status).toBe(409);
    await scene.startSender();
    await addMonitors(1);
    const link = linkIn(await smtp.take(), 'confirm');
    expect(await open(link)).toMatchObject({ status: 200, text: expect.stringContaining('Yes, send them') as string });
    expect(await shown(id)).toMatchObject({ state: 'unconfirmed' });
    expect((await press(link)).status).toBe(200);
    expect((await press(link)).status).toBe(200);
    await scene.catchUp();
    const [name] = await addMonitors(1);
    expect(subjectOf(await smtp.take())).toBe(`Monitor created: ${name}`);
    expect(smtp.mails).toHaveLength(2);
    expect(await actionsOn(id)).toEqual(['destination.confirmed', 'destination.created']);
  });

  it('holds text of others as it is, and how it is ended by one request', async () => {
    const { id } = await confirmed();
    await scene.startSender();
    await scene.post('/v1/monitors', monitor('<b>"x"</b>\u2028Bcc: e@evil.example'));
    const mail = await smtp.take();
    const [delivery] = await listed(id);
    expect(decodedSubject(mail)).toBe('Monitor created: <b>"x"</b> Bcc: e@evil.example');
    expect(mail.message).toContain(`Message-ID: <${String(delivery?.['id'])}@${host()}>`);
    expect(mail.message).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(mail.message).not.toMatch(/^Bcc:/m);
    expect(textOf(mail)).toContain('&#60;b&#62;&#34;x&#34;&#60;/b&#62;');
    expect(textOf(mail).slice(textOf(mail).indexOf('<!doctype'))).not.toContain('<b>');
  });

  it('ends when its reader says so, by one request that may be repeated, and is not asked again', async () => {
    const { id, address } = await confirmed();
    await scene.startSender();
    await addMonitors(1);
    const mail = await smtp.take();
    const link = linkIn(mail, 'unsubscribe');
    expect((await open(link)).status).toBe(200);
    expect(await shown(id)).toMatchObject({ state: 'ok', enabled: true });
    const type = 'multipart/form-data; boundary=x';
    expect((await press(link, '--x--', type)).status).toBe(200);
    expect((await press(link, 'List-Unsubscribe=One-Click')).status).toBe(200);
    await scene.catchUp();
    expect(await shown(id)).toMatchObject({ state: 'off', enabled: false });
    expect(await actionsOn(id)).toEqual(['destination.unsubscribed', 'destination.confirmed', 'destination.created']);
    expect(await change(id, { enabled: true })).toMatchObject({ status: 409 });
    expect(await change(id, { address })).toMatchObject({ status: 409, body: { error: WANTS_NO_MORE } });
    await addMonitors(1);
    await scene.hurry();
    expect((await press(`${link}x`)).status).toBe(400);
    expect(smtp.mails).toHaveLength(2);
  });

  it('gets the same mail again after a failure, and the next one after a refusal for ever', async () => {
    const { id } = await confirmed();
    smtp.replies.push('451 later');
    smtp.dataReplies.push('452 later', '554 spam');
    await scene.startSender();
    await addMonitors(1);
    await untilOutcomes('held_back', 'held_back', 'set_aside');
    const [first] = await listed(id);
    expect(first).toMatchObject({ state: 'set_aside', tries: 3, status: 554 });
    const [name] = await addMonitors(1);
    expect(subjectOf(await smtp.take())).toBe(`Monitor created: ${name}`);
    await scene.post(`/v1/destinations/${id}/retry`, { all: true });
    expect((await smtp.take()).message).toContain(`Message-ID: <${String(first?.['id'])}@${host()}>`);
  });

  it('is at most 20 in an hour, the last of which is all that waits', async () => {
    const { id } = await confirmed();
    const told = (await addMonitors(22)).map((name) => `Monitor created: ${name}`);
    const before = smtp.mails.length;
    await scene.startSender();
    await waitUntil(() => smtp.mails.length === before + 20);
    const mails = smtp.mails.slice(before);
    expect(mails.map(subjectOf)).toEqual([...told.slice(0, 19), `${told[19]}, and 2 more`]);
    for (const one of told.slice(19)) expect(textOf(mails[19]!)).toContain(`\n${one}\n`);
    const [name] = await addMonitors(1);
    await scene.hurry();
    const pauses = sql`select from destination_sending where destination_id = ${id} and claim is null
      and next_at between now() + interval '55 minutes' and now() + interval '1 hour'`;
    await waitUntil(async () => (await run(scene.pool, pauses)).length > 0);
    expect(smtp.mails).toHaveLength(before + 20);
    await run(scene.pool, sql`update deliveries set changed_at = changed_at - interval '1 hour' where state = 'sent'`);
    await scene.hurry();
    await waitUntil(() => smtp.mails.length === before + 21);
    expect(subjectOf(smtp.mails.at(-1)!)).toBe(`Monitor created: ${name}`);
  });

  it('is off where its server knows no such address, which no answer shows', async () => {
    const { id, address } = await confirmed();
    smtp.replies.push(`550 <${address}> unknown`);
    await scene.startSender();
    await addMonitors(1);
    await untilOutcomes('off');
    const off = await shown(id);
    expect(off).toMatchObject({ state: 'off', lastAnswer: { status: 550 } });
    expect(JSON.stringify([off, await listed(id)])).not.toContain(address.split('@')[0]);
  });

  it('takes no links of an earlier address', async () => {
    const { id } = await unconfirmed();
    const former = linkIn(await smtp.take(), 'confirm');
    expect((await change(id, { address: newAddress() })).status).toBe(200);
    expect((await press(former)).status).toBe(400);
    expect((await press(linkIn(await smtp.take(), 'confirm'))).status).toBe(200);
    const late = linkIn(smtp.mails.at(-1)!, 'confirm').replace(/token=\d+/, `token=${Date.now() + 1e9}`);
    expect((await press(late)).status).toBe(400);
  });

  it('is asked for three times in a week', async () => {
    const { id, address } = await unconfirmed();
    for (let n = 0; n < 2; n++) expect((await change(id, { address })).status).toBe(200);
    expect((await change(id, { address })).status).toBe(409);
    await waitUntil(() => smtp.mails.length === 3);
  });

  it('is of monitors and incidents, and has an address alone', async () => {
    for (const wrong of [
      { sends: ['member.joined'] },
      { url: 'https://hooks.example/' },
      { address: null },
      { address: 'a@b.example, c@d.example' },
      { format: 'slack' },
      { kind: 'webhook' },
    ])
      expect((await scene.post('/v1/destinations', { ...body(newAddress()), ...wrong })).status).toBe(400);
    const { id } = await unconfirmed();
    expect((await scene.post(`/v1/destinations/${id}/rotate`)).status).toBe(409);
  });

  it('goes with the account of its address', async () => {
    const member = await colleague(scene.api, scene.owner, 'member');
    const { id } = await confirmed(member.email);
    await scene.post('/v1/erasures', {
      organizationId: scene.owner.organizationId,
      subject: { userId: member.id },
    });
    await waitUntil(async () => (await ask(scene.api, `GET /v1/destinations/${id}`, scene.owner)).status === 404);
  });
});

it('a mail is not to be had without a mail server, nor by a key', async () => {
  const key = await newKey(scene.api, scene.owner, { scopes: ['read:data'] });
  const headers = { authorization: `Bearer ${key}` };
  expect((await ask(scene.api, 'POST /v1/destinations', { body: body(newAddress()), headers })).status).toBe(403);
  const { mail } = scene.api.settings;
  Object.assign(scene.api.settings, { mail: { by: 'nothing' } });
  const refused = await scene.post('/v1/destinations', body(newAddress()));
  Object.assign(scene.api.settings, { mail });
  expect(refused.body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'kind' }] });
  expect(refused.text).toContain('needs a mail server');
});

const WANTS_NO_MORE = 'The addressee wants no mails, and is not asked again for 90 days';

let scene: SendingScene;
let smtp: SmtpServer;
let addresses = 0;
let names = 0;
let monitors = 0;

beforeAll(async () => {
  smtp = await startSmtpServer();
  scene = await openSendingScene({ SMTP_URL: smtp.url, MAIL_FROM: 'stats@example.com' });
});

beforeEach(async () => {
  const { port } = new URL(smtp.url);
  await smtp.close();
  smtp = await startSmtpServer(Number(port));
});

afterEach(() => scene.reset());

afterAll(async () => {
  await scene.close();
  await smtp.close();
});

const newAddress = () => `reader-${++addresses}@reader.example`;

const body = (address: string) => ({
  organizationId: scene.owner.organizationId,
  name: `Mail ${++names}`,
  kind: 'mail',
  address,
  sends: ['monitor.created'],
});

async function unconfirmed(address = newAddress()) {
  const { id, secret } = await scene.create(body(address));
  expect(secret).toBe('null');
  return { id, address };
}

async function confirmed(address = newAddress()) {
  const made = await unconfirmed(address);
  let first = await smtp.take();
  while (linkIn(first, 'confirm') === '') first = await smtp.take(); // an invitation came before
  await press(linkIn(first, 'confirm'));
  await scene.catchUp();
  return made;
}

const monitor = (name: string) => ({
  organizationId: scene.owner.organizationId,
  name,
  url: 'https://shop.example/',
  paused: true,
});

async function addMonitors(count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, () => `Shop ${++monitors}`);
  for (const name of names) await scene.post('/v1/monitors', monitor(name));
  return names;
}

type Received = SmtpServer['mails'][number];

const linkIn = (mail: Received, which: string) =>
  new RegExp(String.raw`/v1/destinations/\S+/${which}\?token=[\w.-]+`).exec(unfolded(mail))?.[0] ?? '';

/** Soft breaks of quoted-printable are within links. */
const unfolded = (mail: Received) => mail.message.replaceAll('=\n', '').replaceAll('=3D', '=');

const host = () => new URL(scene.api.settings.publicApiUrl).hostname;

const subjectOf = ({ message }: Received) =>
  /^Subject: (.*(?:\n[ \t].*)*)/m.exec(message)?.[1]?.replaceAll(/\n\s/g, ' ');

const decodedSubject = (mail: Received) =>
  (subjectOf(mail) ?? '')
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=\s*/g, '$1')
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));

const open = (link: string) => ask(scene.api, `GET ${link}`);

const press = (link: string, payload = '', type = 'application/x-www-form-urlencoded') =>
  scene.api.app.inject({ method: 'POST', url: link, payload, headers: { 'content-type': type } }).then((answer) => ({
    status: answer.statusCode,
  }));

const shown = async (id: string) => (await ask(scene.api, `GET /v1/destinations/${id}`, scene.owner)).body;

const change = (id: string, changes: object) =>
  ask(scene.api, `PATCH /v1/destinations/${id}`, { body: changes, headers: scene.owner.headers });

const listed = async (id: string) =>
  (await ask(scene.api, `GET /v1/destinations/${id}/deliveries`, scene.owner)).body.data as Record<string, unknown>[];

const actionsOn = async (id: string) =>
  (await readAuditLog(scene.api, scene.owner, { targetId: id })).map(({ action }) => action);

const untilOutcomes = (...wanted: readonly string[]) =>
  waitUntil(async () => {
    await run(scene.pool, sql`update destination_sending set next_at = now()`);
    return scene.outcomes.join() === wanted.join();
  });
