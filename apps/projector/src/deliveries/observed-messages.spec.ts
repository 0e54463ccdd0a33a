import { Ajv2020 } from 'ajv/dist/2020';
import type { AlertDecided, MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { MESSAGE_CATALOGUE } from '@ledgerline/domain/messages/message-catalogue';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ask } from '@test/api/ask';
import { colleague } from '@test/api/people';
import { startReceiver, type Receiver } from '@test/destinations/receiver';
import { openSendingScene, type SendingScene } from '@test/destinations/sending-scene';
import { alertDecided } from '@test/events/alert-decided';
import { linkClicked, outgoingLink, pageView } from '@test/events/observed-events';
import { monitorCheck } from '@test/monitors/random-checks';
import { waitUntil } from '@test/wait-until';

describe('a destination', () => {
  it('is told that a monitor is down and up again, in this order', async () => {
    const monitorId = await created('monitors', { name: 'Shop', url: 'https://shop.example/' });
    await wanting(['monitor.down', 'monitor.up']);
    await begin();
    await checked(monitorId, [{}, DOWN]);
    await checked(monitorId, [DOWN, {}]);
    await taken(2);
    expect(messages()).toEqual(
      [
        {
          type: 'monitor.down',
          data: { organizationId: scene.owner.organizationId, monitorId, name: 'Shop', status: 500 },
        },
        { type: 'monitor.up', data: { monitorId } },
      ].map(
        (each) => expect.objectContaining({ ...each, data: expect.objectContaining(each.data) as object }) as object,
      ),
    );
  });

  it('is told that nothing is known of a monitor that is paused while it is down', async () => {
    const monitorId = await created('monitors', { name: 'Paused', url: 'https://shop.example/' });
    await wanting(['monitor.down', 'monitor.unknown']);
    await begin();
    await checked(monitorId, [DOWN, DOWN]);
    await taken(1);
    await ask(scene.api, `PATCH /v1/monitors/${monitorId}`, { body: { paused: true }, headers: scene.owner.headers });
    await scene.catchUp();
    await scene.passTime();
    await taken(2);
    expect(messages()[1]).toMatchObject({ type: 'monitor.unknown', data: { why: 'pause', position: null } });
  });

  it('is told of clicks and goals together, at most once in ten seconds', async () => {
    const linkId = await created('links', { name: 'Sale', targetUrl: 'https://shop.example/' });
    const goalId = await created('goals', {
      websiteId: scene.owner.websiteId,
      name: 'Orders',
      condition: { kind: 'page', filters: [{ field: 'path', op: 'eq', value: '/paid' }] },
    });
    await wanting(['link.clicked', 'goal.reached']);
    await begin();
    await scene.observe(linkId, [clickOf(linkId), clickOf(linkId)]);
    await scene.observe(scene.owner.websiteId, [view('/paid'), view('/other'), outgoingOf('https://a.example/')]);
    await waitUntil(async () => (await folds()) === 2);
    await scene.observe(linkId, [clickOf(linkId), { ...clickOf(linkId), at: Date.now() - 2 * 86_400_000 }]);
    await waitUntil(async () => (await behind()) === 0);
    expect(receiver.received).toEqual([]);
    await scene.passTime();
    await taken(2);
    expect(messages().toSorted((a, b) => (a.type < b.type ? -1 : 1))).toMatchObject([
      { type: 'goal.reached', data: { goalId, websiteId: scene.owner.websiteId, name: 'Orders', count: 1 } },
      { type: 'link.clicked', data: { linkId, name: 'Sale', count: 3 } },
    ]);
    expect(await folds()).toBe(0);
  });

  it('gets messages about what it names alone, and none of before it was', async () => {
    const own = await monitor('Own');
    const other = await monitor('Other');
    await wanting(['monitor.down'], { monitorIds: [own] });
    await begin();
    await checked(other, [DOWN, DOWN]);
    await checked(own, [DOWN, DOWN]);
    await taken(1);
    const late = await startReceiver();
    await scene.create({ url: late.url, sends: ['monitor.down'], monitorIds: [own, other] });
    await checked(other, [{}, DOWN, DOWN]);
    await waitUntil(() => late.received.length === 1);
    await late.stop();
    expect(messages().map(({ data }) => data['monitorId'])).toEqual([own]);
  });

  it('that an alert names is told what it decided, whatever else it wants', async () => {
    const { id: destinationId } = await wanting([]);
    await wanting(['monitor.down']);
    const alertId = await alert([destinationId]);
    await begin();
    await decided(alertId, { outcome: 'fired', usual: 40.5 });
    await decided(alertId, { outcome: 'over', figure: 38 });
    await decided(alertId, { outcome: 'quiet', windows: 288, told: 0 });
    await decided(alertId, { outcome: 'blind', figure: null, why: 'no_tracker' });
    await decided('alr_deleted', { outcome: 'fired' });
    await decided(alertId, { outcome: 'seeing', told: 3 });
    await taken(4);
    const { organizationId, websiteId } = scene.owner;
    const rule = 'Page views of the last hour above 10';
    expect(messages()).toMatchObject([
      {
        type: 'alert.fired',
        data: { organizationId, websiteId, alertId, rule, figure: 12, usual: 40.5, decisions: 1 },
      },
      { type: 'alert.over', data: { figure: 38, why: null } },
      { type: 'alert.blind', data: { figure: null, why: 'no_tracker' } },
      { type: 'alert.seeing', data: { decisions: 3 } },
    ]);
  });

  it('is not told what an alert decided whose author may not send there any more', async () => {
    const { headers, organizationId } = scene.owner;
    const member = await colleague(scene.api, scene.owner, 'member');
    await wanting(['monitor.down']); // so that the log is read meanwhile
    const { id: destinationId } = await wanting([], { openToMembers: true });
    const first = await alert([destinationId], member.headers);
    await begin();
    await decided(first, { outcome: 'fired' });
    await taken(1);
    const closed = { body: { openToMembers: false }, headers };
    expect((await ask(scene.api, `PATCH /v1/destinations/${destinationId}`, closed)).status).toBe(200);
    await scene.catchUp();
    await decided(first, { outcome: 'over' });
    await decided(await alert([destinationId]), { outcome: 'over' });
    await taken(2);
    expect(messages().map(({ type }) => type)).toEqual(['alert.fired', 'alert.over']);
    expect(messages()[1]).not.toMatchObject({ data: { alertId: first } });
    expect(organizationId).toBe(messages()[1]?.data['organizationId']);
  });

  it('for Slack and for Discord gets a text', async () => {
    const slack = await startReceiver();
    await scene.create({ url: slack.url, format: 'slack', sends: ['monitor.down', 'tag.created'] });
    await wanting(['monitor.down'], { format: 'discord' });
    await begin();
    await checked(await monitor('<!channel> @everyone'), [DOWN, DOWN]);
    await waitUntil(() => slack.received.length === 1 && receiver.received.length === 1);
    await slack.stop();
    expect(JSON.parse(slack.received[0]?.body ?? '')).toMatchObject({ blocks: [{ text: { type: 'plain_text' } }] });
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ allowed_mentions: { parse: [] } });
  });

  it('gets each message once from two sources, and after one was killed', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => monitor(`Many ${n}`)));
    await wanting(['monitor.down', 'monitor.up']);
    await begin();
    const second = await scene.startSource();
    for (const id of ids) await checked(id, [DOWN, DOWN]);
    await second.kill();
    for (const id of ids) await checked(id, [{}]);
    await taken(16);
    const told = messages().map(({ type, data }) => `${String(data['monitorId'])} ${type}`);
    expect(told.toSorted()).toEqual(ids.flatMap((id) => [`${id} monitor.down`, `${id} monitor.up`]).toSorted());
    for (const id of ids) expect(told.indexOf(`${id} monitor.down`)).toBeLessThan(told.indexOf(`${id} monitor.up`));
  });

  it('keeps no cursor while nothing is wanted', async () => {
    await wanting(['monitor.down']);
    await begin();
    await waitUntil(async () => (await sources()) > 0);
    await scene.reset();
    await wanting(['tag.created']);
    await scene.startSource();
    await waitUntil(async () => (await sources()) === 0);
  });
});

type Check = Partial<MonitorChecked['data']>;

const DOWN: Check = { up: false };

let scene: SendingScene;
let receiver: Receiver;
let names = 0;
let lastAt = Date.now();

beforeAll(async () => {
  scene = await openSendingScene();
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(async () => {
  await scene.reset();
  await receiver.stop();
  expect(scene.warnings).toEqual([]);
  const ajv = new Ajv2020({ allErrors: true, formats: { 'date-time': true } });
  for (const { body } of receiver.received) {
    const schema = MESSAGE_CATALOGUE.find(({ type }) => type === (JSON.parse(body) as { type?: string }).type)?.schema;
    if (!schema) continue; // a body for a chat
    const isValid = ajv.compile(schema);
    isValid(JSON.parse(body));
    expect(isValid.errors).toBeNull();
  }
});

afterAll(() => scene.close());

const wanting = (sends: readonly string[], more: object = {}) => scene.create({ url: receiver.url, sends, ...more });

/** What sends decides which installation it is, before which a source decides nothing. */
async function begin(): Promise<void> {
  await scene.startSender();
  await scene.startSource();
  await waitUntil(async () => (await sources()) === 2);
}

async function created(kind: string, fields: object): Promise<string> {
  const { body, text } = await scene.post(`/v1/${kind}`, { organizationId: scene.owner.organizationId, ...fields });
  await scene.catchUp();
  return typeof body.id === 'string' ? body.id : fail(text);
}

function fail(text: string): never {
  throw new Error(`Nothing was created: ${text}`);
}

const monitor = (name: string) => created('monitors', { name: `${name} ${++names}`, url: 'https://shop.example/' });

const checked = (monitorId: string, checks: readonly Check[]) => {
  const { organizationId } = scene.owner;
  const events = checks.map((check) => {
    lastAt = Math.max(lastAt + 1, Date.now());
    return monitorCheck(monitorId, lastAt, { organizationId, ...check });
  });
  return scene.observe(monitorId, events);
};

async function alert(destinationIds: readonly string[], headers = scene.owner.headers): Promise<string> {
  const { organizationId, websiteId } = scene.owner;
  const of = { organizationId, websiteId, name: `Alert ${++names}`, destinationIds };
  const rule = { figure: 'pageviews', window: { minutes: 60 }, compare: 'above', threshold: 10 };
  const { body, text } = await ask(scene.api, 'POST /v1/alerts', { body: { ...of, ...rule }, headers });
  await scene.catchUp();
  return typeof body.id === 'string' ? body.id : fail(text);
}

const decided = (alertId: string, more: Partial<AlertDecided['data']>) => {
  const { organizationId, websiteId } = scene.owner;
  lastAt = Math.max(lastAt + 1, Date.now());
  const event = alertDecided(alertId, lastAt, { organizationId, websiteId, ...more });
  return scene.observe(alertId, [{ ...event, receivedAt: Date.now() }]);
};

const clickOf = (linkId: string) => linkClicked(Date.now(), { organizationId: scene.owner.organizationId, linkId });
const ofWebsite = () => ({ organizationId: scene.owner.organizationId, websiteId: scene.owner.websiteId });
const view = (path: string) => pageView(Date.now(), { ...ofWebsite(), path });
const outgoingOf = (href: string) => outgoingLink(Date.now(), { ...ofWebsite(), href });

const taken = (count: number) => waitUntil(() => receiver.received.length >= count);

const messages = () =>
  receiver.received.map(({ body }) => JSON.parse(body) as { type: string; data: Readonly<Record<string, unknown>> });

const countOf = async (rows: ReturnType<typeof sql>): Promise<number> =>
  (await run<{ count: number }>(scene.pool, sql`select count(*)::integer as count from (${rows}) r`))[0]?.count ?? 0;

const sources = () => countOf(sql`select from delivery_sources`);
const folds = () => countOf(sql`select from delivery_folds where key not like 'monitor %'`);
const behind = () =>
  countOf(sql`select from delivery_sources s join intake_heads h using (partition)
    where coalesce(nullif(s.cursor, '')::bigint, -1) < h.next_offset - 1`);
