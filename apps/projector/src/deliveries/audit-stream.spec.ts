import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { startReceiver, type Receiver } from '@test/destinations/receiver';
import { openSendingScene, type SendingScene } from '@test/destinations/sending-scene';
import { waitUntil } from '@test/wait-until';

describe('an audit stream', () => {
  it('gets every entry from a position on, in order, as the export has it, and the signed head', async () => {
    await scene.api.signHeads();
    await scene.addTags(3);
    await stream({ begin: 0 });
    await scene.startSender();
    await scene.addTags(3);
    const entries = (await readAuditLog(scene.api, scene.owner)).toReversed();
    await waitUntil(() => heads().some(({ revision }) => revision === entries.length - 1));
    expect(places().map(({ chain, event, action }) => [chain.revision, chain.hash, event.id, action])).toEqual(
      entries.map(({ position, hash, id, action }) => [position, hash, id, action]),
    );
    const { text } = await ask(
      scene.api,
      `GET /v1/audit-log/export?organizationId=${scene.owner.organizationId}`,
      scene.owner,
    );
    const exported = text.split('\n').filter((line) => line !== '' && !line.includes('"head"'));
    const sent = linesOf(receiver).filter((line) => !line.includes('"head"'));
    for (const line of exported.toReversed().slice(0, entries.length)) {
      const { chain, event } = JSON.parse(line) as Place;
      expect(JSON.parse(sent[chain.revision] ?? '{}')).toMatchObject({ chain, event });
    }
  });

  it('begins now, and sends nothing twice but with the same id and bytes', async () => {
    await scene.addTags(2);
    await stream();
    receiver.answers = (_, n) => (n === 1 ? 400 : 204);
    await scene.startSender();
    const names = await scene.addTags(1);
    await waitUntil(async () => {
      await scene.hurry();
      return receiver.received.length > 1 && places().some(({ event }) => event.data['name'] === names[0]);
    });
    const [first, again] = receiver.received;
    expect(again).toMatchObject({ id: first?.id, body: first?.body });
    expect(places()[0]?.action).toBe('destination.created');
  });

  it('sends a request that is too large in halves, and misses nothing', async () => {
    await scene.addTags(8);
    await stream({ begin: 0 });
    receiver.answers = ({ body }) => (body.split('\n').length > 4 ? 413 : 204);
    await scene.startSender();
    const last = (await readAuditLog(scene.api, scene.owner))[0]?.position ?? -1;
    const taken = () =>
      receiver.received.filter(({ body }) => body.split('\n').length <= 4).flatMap(({ body }) => placesIn(body));
    await waitUntil(() => taken().length > last);
    expect(taken().map(({ chain }) => chain.revision)).toEqual(Array.from({ length: last + 1 }, (_, n) => n));
  });

  it('holds back at the first entry that was changed, and says where', async () => {
    const { id } = await stream();
    const at = (await readAuditLog(scene.api, scene.owner))[0]?.position ?? -1;
    await scene.addTags(3);
    const { organizationId } = scene.owner;
    const changed = sql`organization = ${organizationId} and chain_revision = ${at + 2}`;
    const [{ data } = { data: '' }] = await run<{ data: string }>(
      scene.pool,
      sql`select data::text from events where ${changed}`,
    );
    const write = (text: string) => run(scene.pool, sql`update events set data = ${text}::json where ${changed}`);
    await write(data.replace('"Tag ', '"Fake '));
    await scene.startSender();
    const shown = () => ask(scene.api, `GET /v1/destinations/${id}`, scene.owner);
    const { lastAnswer } = (await waitUntil(
      async () => (await shown()).body,
      ({ state }) => state === 'held_back',
    )) as { lastAnswer: { text: string } };
    expect(lastAnswer.text).toContain(`broken at position ${at + 2}`);
    expect(places().map(({ chain }) => chain.revision)).toEqual([at, at + 1]);
    await write(data);
    await scene.hurry();
    await waitUntil(() => places().length === 4);
  });
});

interface Place {
  readonly chain: { readonly revision: number; readonly hash: string };
  readonly event: { readonly id: string; readonly data: Readonly<Record<string, unknown>> };
  readonly action: string;
}

let scene: SendingScene;
let receiver: Receiver;

beforeEach(async () => {
  scene = await openSendingScene();
  receiver = await startReceiver();
});

afterEach(async () => {
  await receiver.stop();
  await scene.close();
});

const stream = (more: object = {}) => scene.create({ kind: 'audit', url: receiver.url, ...more });

const linesIn = (body: string) => body.split('\n').filter((line) => line !== '');
const linesOf = ({ received }: Receiver) => received.flatMap(({ body }) => linesIn(body));
const placesIn = (body: string) =>
  linesIn(body).flatMap((line) => (line.includes('"head"') ? [] : [JSON.parse(line) as Place]));
const places = () => placesIn(linesOf(receiver).join('\n'));
const heads = () =>
  linesOf(receiver).flatMap((line) => {
    const { head } = JSON.parse(line) as { head?: { revision: number } };
    return head ? [head] : [];
  });
