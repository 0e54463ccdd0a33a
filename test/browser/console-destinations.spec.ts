import type { INestApplicationContext } from '@nestjs/common';
import type { Pool } from 'pg';
import { Webhook } from 'standardwebhooks';
import { POOL } from '../../apps/api/src/tokens';
import { ask } from '../api/ask';
import { startReceiver, type Receiver } from '../destinations/receiver';
import { documentAt } from '../docs/documents';
import { startHttpServer, type HttpServer } from '../monitors/http-server';
import { startProjector } from '../read-stores/store-product';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { ConsoleScene } from './console-scene';
import { Person, refusedIn } from './person';

describeInChromium('destinations in the console', () => {
  it('are few clicks from the page of a monitor, and told when it is down', async () => {
    await open(`monitors/${monitorId}`);
    await person.reads('Nobody is told when it is down.');
    clicks = 0;
    await press('Tell me when it is down', 'link');
    await person.shows('New destination');
    await person.reads('Told when Shop is down, and when it is up again');
    expect(await scene.faults('destination-new')).toEqual([]);
    await scene.as(1_280, 'light');
    await person.fill('Address', 'http://10.0.0.1/');
    await press('Create the destination');
    expect(await person.fault('url')).toContain('over https');
    expect(refusedIn(scene)).toEqual([400]);
    clicks--;
    await person.fill('Address', receiver.url);
    await press('Create the destination');
    secret = await shownSecret();
    expect(await scene.faults('destination-secret')).toEqual([]);
    await scene.as(1_280, 'light');
    await press('Done');
    await person.shows('Shop');
    await press('Send a test');
    await person.reads('The test arrived. Status 204');
    expect(clicks).toBe(4);
    expect(documentAt('docs/notifications.md').text).toContain('four clicks');
    expect(verified(receiver.received.at(-1))).toMatchObject({ type: 'destination.test' });

    isUp = false;
    await messageOf('monitor.down');
    isUp = true;
    await messageOf('monitor.up');
    await person.reads('monitor.up');
    expect(await scene.faults('destination')).toEqual([]);
    await open(`monitors/${monitorId}`);
    await person.reads('Told when it is down: Shop');
    expect(await scene.faults('monitor-told')).toEqual([]);
  });

  it('hold back what is not taken, and send it again: one, a range, all', async () => {
    await visit('Shop');
    await openChanges();
    await person.tick('Created a tag');
    await person.press('Save the destination');
    await person.reads('The destination is saved');
    receiver.answers = () => 500;
    await addTag('First');
    await person.reads('Held back');
    await person.reads('Status 500');
    await person.press('Waiting', 'tab');
    expect(await openedMessage()).toContain('"name":"First"');
    expect(await scene.faults('destination-held-back')).toEqual([]);
    await scene.as(1_280, 'light');
    receiver.answers = () => 400;
    await person.press('Try now');
    await person.press('Set aside', 'tab');
    await person.reads(/Status 400\s+Set aside/);
    expect(await openedMessage()).toContain('"name":"First"');
    const [, number = ''] = /Number\s+(\d+)/.exec(await person.reads('Number')) ?? [];
    expect(await scene.faults('destination-set-aside')).toEqual([]);
    await scene.as(1_280, 'light');
    receiver.answers = () => 204;
    const before = receiver.received.length;
    await person.press('Send again');
    await person.reads('Sent again: 1 message');
    await waitUntil(() => receiver.received.length > before);
    const again = receiver.received.at(-1);
    expect(verified(again)).toMatchObject({ type: 'tag.created', data: { target: { name: 'First' } } });
    await person.press('Send all set aside again');
    await person.reads('Sent again: 0 messages');
    const sent = () => receiver.received.filter(({ id }) => id === again?.id).map(({ body }) => body);
    const once = sent().length;
    await scene.page.locator('details.more:not(fieldset *) summary').click();
    await person.fill('From number', number);
    await person.fill('To number', number);
    await person.press('Send the range again');
    await waitUntil(() => sent().length > once);
    expect(new Set(sent()).size).toBe(1);
  });

  it('are paused and resumed, and get a secret beside which the former signs along', async () => {
    await visit('Shop');
    await person.press('Pause');
    await person.reads('Paused');
    await addTag('Second');
    await person.press('Resume');
    await messageOf('tag.created', 'Second');
    await person.press('Rotate the secret');
    await person.press('Rotate the secret');
    const former = secret;
    secret = await shownSecret();
    expect(secret).not.toBe(former);
    await person.press('Done');
    await person.press('Send a test');
    await person.reads('The test arrived.');
    const test = receiver.received.at(-1);
    for (const each of [secret, former]) expect(verified(test, each)).toMatchObject({ type: 'destination.test' });
  });

  it('are about chosen websites, open to members, and lose their headers', async () => {
    const stored = async () =>
      (await ask(scene.api, `GET /v1/destinations?organizationId=${scene.owner.organizationId}`, scene.owner)).body
        .data;
    await visit('Shop');
    await person.fill('Headers', 'x-token: 1');
    await person.tick('A goal was reached, at most one message in 10 seconds');
    await scene.page.locator('xpath/.//fieldset[legend="Only of these websites"]//input').click();
    await person.tick('Open to members');
    expect(await scene.faults('destination-websites')).toEqual([]);
    await scene.as(1_280, 'light');
    await person.press('Save the destination');
    await person.reads('Empty keeps: x-token.');
    const about = { websiteIds: [scene.owner.websiteId], openToMembers: true };
    expect(await stored()).toMatchObject([{ ...about, headerNames: ['x-token'] }]);
    await person.tick('Send no headers any more');
    await person.press('Save the destination');
    await person.misses('x-token');
    expect(await stored()).toMatchObject([{ ...about, headerNames: [] }]);
  });

  it('are channels, which need no secret, and audit streams', async () => {
    await open('destinations/new');
    await person.press('Slack', 'radio');
    await person.fill('Name', MARKUP);
    await person.fill('Address', receiver.url);
    await openChanges();
    await person.tick('Created a tag');
    await person.press('Create the destination');
    await person.shows(MARKUP);
    await person.press('Send a test');
    await person.reads('The test arrived.');
    expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toHaveProperty('text');
    await open('destinations/new');
    await person.press('Audit stream', 'radio');
    await person.fill('Name', 'SIEM');
    await person.fill('Address', receiver.url);
    await person.fill('Begin', '0');
    await person.press('Create the destination');
    secret = await shownSecret();
    await person.press('Done');
    await person.shows('SIEM');
    await waitUntil(() => receiver.received.some(({ body }) => body.includes('"action":"organization.created"')));
    await open('destinations');
    await person.reads('Everything in the audit log');
    expect(await scene.faults('destinations')).toEqual([]);
  });

  it('are deleted once that is confirmed', async () => {
    await visit('SIEM');
    await person.press('Delete');
    await scene.page.waitForSelector('dialog[open]');
    await person.press('Delete');
    await person.shows('Destinations');
    await person.misses('SIEM');
  });
});

const MARKUP = '<img src=x onerror=alert(1)>';

let scene: ConsoleScene;
let person: Person;
let receiver: Receiver;
let server: HttpServer;
let projector: INestApplicationContext;
let monitorId: string;
let secret: string;
let isUp = true;
/** Since the page of a monitor was opened. */
let clicks = 0;

const press: Person['press'] = (...what) => {
  clicks++;
  return person.press(...what);
};

const open = async (path: string) => {
  await scene.as(1_280, 'light');
  await scene.visit(`/organizations/${scene.owner.organizationId}/${path}`);
};

/** The page of the destination of this name. */
async function visit(name: string): Promise<void> {
  await open('destinations');
  await person.press(name, 'link');
  await person.shows(name);
}

const shownSecret = async (): Promise<string> => /whsec_\S+/.exec(await person.reads('whsec_'))?.[0] ?? '';

/** What is signed as libraries know it. @throws Error for anything else */
const verified = (received: Receiver['received'][number] | undefined, by = secret) =>
  new Webhook(by).verify(received?.body ?? '', received?.headers as Record<string, string>);

const create = async (path: string, body: object): Promise<string> => {
  const { organizationId, headers } = scene.owner;
  const made = await ask(scene.api, `POST ${path}`, { body: { organizationId, ...body }, headers });
  return String(made.body.id);
};

const openChanges = () => scene.page.locator('fieldset details.more summary').click();

const addTag = (name: string) => create('/v1/tags', { name });

/** Until the receiver has a message of this type, and with this text; monitors are checked without their intervals. */
const messageOf = (type: string, text = type) =>
  waitUntil(async () => {
    await scene.api.app.get<Pool>(POOL).query('update monitor_schedule set due_at = now()');
    return receiver.received.some(({ body }) => body.includes(`"type":"${type}"`) && body.includes(text));
  });

/** The body of the first message that is shown, which is opened once: its list may be read anew meanwhile. */
const openedMessage = () =>
  waitUntil(async () => {
    const [isOpen, text] = (await scene.page.evaluate(
      `[document.querySelector('.trail details')?.open, document.querySelector('.trail-opened pre')?.textContent]`,
    )) as [boolean | null, string | null];
    if (!isOpen) await scene.page.locator('.trail summary').click(); // a second click would close it
    return isOpen ? (text ?? false) : false;
  });

beforeEach(() => {
  receiver.answers = () => 204;
});

afterEach(() => expect(scene.errors.splice(0)).toEqual([]));

beforeAll(async () => {
  receiver = await startReceiver();
  server = await startHttpServer((_, reply) => reply.writeHead(isUp ? 200 : 500).end('ok'));
  scene = await ConsoleScene.open({ MONITOR_ALLOW_PRIVATE: '1', DESTINATION_ALLOW: '127.0.0.0/8' });
  projector = await startProjector(scene.api);
  monitorId = await create('/v1/monitors', { name: 'Shop', url: server.url, intervalSeconds: 30 });
  person = new Person(scene.page);
  await scene.as(1_280, 'light');
  await scene.visit('/');
  await scene.signIn();
  await scene.shows('Websites');
}, 120_000);

afterAll(async () => {
  await projector.close();
  await scene.close();
  await server.close();
  await receiver.stop();
});
