import { Webhook } from 'standardwebhooks';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { startReceiver, type Receiver } from '@test/destinations/receiver';
import { openSendingScene, type SendingScene } from '@test/destinations/sending-scene';
import { waitUntil } from '@test/wait-until';
import { runDeliveriesCommand as deliveriesCommand } from '../../../../scripts/deliveries/deliveries';

describe('a webhook', () => {
  it('gets what it wants of the audit log, in order, signed by Standard Webhooks', async () => {
    const { secret } = await webhook({ headers: { 'x-token': 'hidden' } });
    await scene.startSender();
    const names = await scene.addTags(5);
    await taken(5);
    expect(namesIn(receiver)).toEqual(names);
    for (const { headers, body } of receiver.received) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'tag.created',
        data: { organizationId: scene.owner.organizationId, actor: { type: 'user', id: scene.owner.id } },
      });
      expect(headers).toMatchObject({ 'x-token': 'hidden', 'content-type': 'application/json' });
      expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
    }
  });

  it('is signed with the former secret, too, for a day after a rotation', async () => {
    const { id, secret } = await webhook();
    const rotated = await scene.post(`/v1/destinations/${id}/rotate`);
    const last = String((await scene.post(`/v1/destinations/${id}/rotate`)).body.secret);
    const tried = await scene.post(`/v1/destinations/${id}/test`);
    expect(tried.body).toEqual({ status: 204, text: null });
    const [{ headers, body }] = receiver.received as [Receiver['received'][number]];
    const verify = (by: string) => new Webhook(by).verify(body, headers as Record<string, string>);
    expect(verify(last)).toMatchObject({ type: 'destination.test' });
    expect(verify(String(rotated.body.secret))).toMatchObject({ type: 'destination.test' });
    expect(() => verify(secret)).toThrow();
  });

  it('that fails gets the same id and bytes again, and nothing else before', async () => {
    await webhook();
    receiver.answers = (_, n) => (n <= 2 ? 500 : 204);
    await scene.startSender();
    const names = await scene.addTags(3);
    await taken(5);
    const [first, second, third] = receiver.received;
    expect([second, third].map((each) => [each?.id, each?.body])).toEqual(Array(2).fill([first?.id, first?.body]));
    expect(namesIn(receiver).slice(2)).toEqual(names);
  });

  it('is left alone for as long as it asks', async () => {
    const { id } = await webhook();
    receiver.answers = () => 429;
    receiver.headers = { 'retry-after': '1800' };
    await scene.startSender();
    await scene.addTags(1);
    await waitUntil(async () => (await shown(id)).state === 'held_back');
    const [row] = await run<{ minutes: number }>(
      scene.pool,
      sql`select extract(epoch from next_at - now()) / 60 as minutes from destination_sending where destination_id = ${id}`,
    );
    expect(Number(row?.minutes)).toBeGreaterThan(29);
    expect(await shown(id)).toMatchObject({ lastAnswer: { status: 429, text: null } });
  });

  it('that refuses a message three times gets the next one, and the other again when an administrator asks for it', async () => {
    const { id } = await webhook();
    receiver.answers = ({ body }) => (body.includes('"Tag') && bodyName(body) === names[0] ? 422 : 204);
    let names: readonly string[] = [];
    names = await scene.addTags(2);
    await scene.startSender();
    await taken(4);
    expect(namesIn(receiver)).toEqual([names[0], names[0], names[0], names[1]]);
    const [aside] = await listed(id, '?state=set_aside');
    expect(aside).toMatchObject({ tries: 3, status: 422, type: 'tag.created', state: 'set_aside' });
    receiver.answers = () => 204;
    expect((await scene.post(`/v1/destinations/${id}/retry`, { all: true })).body).toEqual({ retried: 1 });
    await taken(5);
    expect(receiver.received.at(-1)).toMatchObject({ id: aside?.id, body: aside?.body });
    await waitUntil(async () => (await listed(id, '?state=sent')).length === 2);
  });

  it('that fails at one message alone gets the next one, after ten tries', async () => {
    const { id } = await webhook();
    let names: readonly string[] = [];
    names = await scene.addTags(2);
    receiver.answers = ({ body }) => (bodyName(body) === names[0] ? 500 : 204);
    await scene.startSender();
    await taken(11);
    expect(namesIn(receiver)).toEqual([...Array<string | undefined>(10).fill(names[0]), names[1]]);
    await waitUntil(async () => (await listed(id, '?state=set_aside')).length === 1);
    expect(await shown(id)).toMatchObject({ state: 'ok' });
  });

  it('that was down for all gets the oldest message first', async () => {
    await webhook();
    const [first, second] = await scene.addTags(2);
    receiver.answers = (_, n) => (n <= 13 ? 503 : 204);
    await scene.startSender();
    await taken(15);
    expect(namesIn(receiver).slice(9)).toEqual([first, second, first, second, first, second]);
    await waitUntil(() => scene.outcomes.filter((outcome) => outcome === 'sent').length === 2);
    expect(scene.outcomes).not.toContain('set_aside');
  });

  it('that is gone is off until an administrator turns it on, and then misses nothing', async () => {
    const { id } = await webhook();
    receiver.answers = () => 410;
    await scene.startSender();
    const names = await scene.addTags(2);
    await waitUntil(async () => (await shown(id)).state === 'off');
    receiver.answers = () => 204;
    await scene.post(`/v1/destinations/${id}/retry`, { all: true });
    await taken(3);
    expect(namesIn(receiver)).toEqual([names[0], ...names]);
  });

  it('that restarts, and that does not answer, misses nothing', async () => {
    await webhook();
    await receiver.stop();
    await scene.startSender();
    const names = await scene.addTags(2);
    await waitUntil(() => scene.outcomes.includes('held_back'));
    await receiver.start();
    await scene.hurry();
    await taken(2);
    expect(namesIn(receiver)).toEqual(names);
  });

  it('is not followed to another address', async () => {
    const { id } = await webhook();
    receiver.answers = () => 302;
    receiver.headers = { location: receiver.url };
    expect((await scene.post(`/v1/destinations/${id}/test`)).body).toEqual({ status: 302, text: null });
    expect(receiver.received).toHaveLength(1);
  });

  it('gets what a stopped sender was sending again from the next one', async () => {
    await webhook();
    receiver.answers = (_, n) => (n === 1 ? undefined : 204);
    const first = await scene.startSender();
    const names = await scene.addTags(2);
    await taken(1);
    await first.stop();
    await scene.startSender();
    await taken(3);
    expect(namesIn(receiver)).toEqual([names[0], ...names]);
    expect(receiver.received[1]).toMatchObject({ id: receiver.received[0]?.id, body: receiver.received[0]?.body });
  });

  it('gets the same id and bytes again where the sender was killed between the answer and its commit', async () => {
    await webhook();
    let answer: (status: number) => void = () => undefined;
    receiver.answers = (_, n) => (n === 1 ? new Promise((resolve) => (answer = resolve)) : 204);
    const first = await scene.startSender();
    const names = await scene.addTags(2);
    await taken(1);
    const killed = first.kill();
    answer(204);
    await killed;
    await run(scene.pool, sql`update destination_sending set claimed_until = now()`); // 20 s later
    await scene.startSender();
    await taken(3);
    expect(namesIn(receiver)).toEqual([names[0], ...names]);
    expect(receiver.received[1]).toMatchObject({ id: receiver.received[0]?.id, body: receiver.received[0]?.body });
  });

  it('gets each message once from two senders', async () => {
    await webhook();
    await Promise.all([scene.startSender(), scene.startSender()]);
    const names = await scene.addTags(40);
    await taken(40);
    expect(namesIn(receiver)).toEqual(names);
  });

  it('is sent again, or lets be what waits, by the command of an operator', async () => {
    const { id } = await webhook();
    receiver.answers = () => 422;
    await scene.addTags(1);
    const sender = await scene.startSender();
    await waitUntil(async () => {
      await scene.hurry();
      return (await listed(id, '?state=set_aside')).length === 1;
    });
    receiver.answers = () => 503;
    expect(await operate('retry', id)).toEqual([`1 messages are sent again to ${id}, after what is new.`]);
    const [entry] = await readAuditLog(scene.api, scene.owner, { targetId: id });
    expect(entry).toMatchObject({ action: 'destination.retried', actor: { type: 'system' } });
    const [skipped] = await scene.addTags(1);
    await waitUntil(async () => (await listed(id, '?state=waiting')).length === 2);
    await sender.stop();
    expect(await operate('skip', id)).toEqual([`2 messages to ${id} are skipped.`]);
    receiver.answers = () => 204;
    const before = receiver.received.length;
    await scene.startSender();
    const [next] = await scene.addTags(1);
    await waitUntil(() => receiver.received.length > before);
    expect(namesIn(receiver).slice(before)).toEqual([next]);
    expect((await listed(id, '?state=skipped')).map(({ body }) => bodyName(String(body)))).toContain(skipped);
    await expect(operate('skip', 'dst_none')).rejects.toThrow('There is no destination "dst_none".');
    await expect(operate('retry')).rejects.toThrow('Usage: npm run deliveries');
  });

  it('gets nothing from a copy of the installation', async () => {
    const { id } = await webhook();
    const own = await scene.startSender();
    await scene.addTags(1);
    await taken(1);
    await own.stop();
    await scene.addTags(1);
    await run(scene.pool, sql`update delivery_sender set looked_at = 'epoch'`);
    await scene.startSender('https://copy.example');
    const looks = sql`select from delivery_sender where looked_at > 'epoch'`;
    await waitUntil(async () => (await run(scene.pool, looks)).length > 0);
    await run(scene.pool, sql`update delivery_sender set looked_at = 'epoch'`);
    await waitUntil(async () => (await run(scene.pool, looks)).length > 0);
    expect([receiver.received.length, (await listed(id, '')).length]).toEqual([1, 1]);
  });
});

let scene: SendingScene;
let receiver: Receiver;

beforeAll(async () => {
  scene = await openSendingScene();
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(async () => {
  await scene.reset();
  await receiver.stop();
});

afterAll(() => scene.close());

const webhook = (more: object = {}) => scene.create({ url: receiver.url, sends: ['tag.created'], ...more });

/** Failures are not waited for as long as outside of specs. */
const taken = (count: number) =>
  waitUntil(async () => {
    if (receiver.received.length < count) await scene.hurry();
    return receiver.received.length >= count;
  });

const bodyName = (body: string) => (JSON.parse(body) as { data: { target: { name: string } } }).data.target.name;
const namesIn = ({ received }: Receiver) => received.map(({ body }) => bodyName(body));

async function operate(...args: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const { databaseUrl, auditSigningKey: signingKey } = scene.api.settings;
  const open = () => Promise.resolve({ databaseUrl, signingKey, isRunning: true, close: () => Promise.resolve() });
  await deliveriesCommand(args, { open, print: (line) => void lines.push(line) });
  return lines;
}

const shown = async (id: string) => (await ask(scene.api, `GET /v1/destinations/${id}`, scene.owner)).body;

const listed = async (id: string, query: string) =>
  (await ask(scene.api, `GET /v1/destinations/${id}/deliveries${query}`, scene.owner)).body.data as Record<
    string,
    unknown
  >[];
