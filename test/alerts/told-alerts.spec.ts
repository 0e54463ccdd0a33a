import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { startReceiver, type Receiver } from '../destinations/receiver';
import { openSendingScene, type SendingScene } from '../destinations/sending-scene';
import { linkClicked, pageView } from '../events/observed-events';
import { waitUntil } from '../wait-until';

jest.setTimeout(120_000);

const MINUTE = 60_000;

describe('alerts of an api', () => {
  it('count what was projected, and are told to their destinations', async () => {
    const { organizationId, websiteId } = scene.owner;
    const { id: linkId } = (await post('links', { name: 'Sale', targetUrl: 'https://shop.example/' })).body;
    const { id: destinationId } = await scene.create({ url: receiver.url, sends: [] });
    const rule = { window: { minutes: 5 }, compare: 'above', threshold: 2, destinationIds: [destinationId] };
    const views = await alert({ ...rule, websiteId, name: 'Views', figure: 'pageviews' });
    const clicks = await alert({ ...rule, linkId, name: 'Clicks', figure: 'clicks' });
    await scene.startSender();
    await scene.startSource();
    const end = Math.floor(Date.now() / (5 * MINUTE)) * 5 * MINUTE - 40 * MINUTE;
    const at = (seconds: number) => end + seconds * 1_000;
    await scene.observe(
      websiteId,
      [-301, -300, -200, -1, 0].map((n) => pageView(at(n), { organizationId, websiteId, path: '/' })),
    );
    await scene.observe(
      String(linkId),
      [-300, -120, -60, -2].map((n) => linkClicked(at(n), { organizationId, linkId: String(linkId) })),
    );
    await scene.catchUp();
    await begin(end - 10 * MINUTE);
    await waitUntil(async () => {
      await scene.catchUp();
      return receiver.received.length >= 4;
    });
    const told = receiver.received.map(({ body }) => JSON.parse(body) as { type: string; data: { alertId: string } });
    const of = (id: string) => told.filter(({ data }) => data.alertId === id);
    const times = { from: new Date(end - 5 * MINUTE).toISOString(), to: new Date(end).toISOString() };
    for (const [id, figure] of [
      [views, 3],
      [clicks, 4],
    ] as const)
      expect(of(id)).toMatchObject([
        { type: 'alert.fired', data: { ...times, figure, usual: null } },
        { type: 'alert.over', data: { from: times.to, decisions: 1 } },
      ]);
  });

  let scene: SendingScene;
  let receiver: Receiver;

  const post = (path: string, body: object) =>
    scene.post(`/v1/${path}`, { organizationId: scene.owner.organizationId, ...body });

  async function alert(body: object): Promise<string> {
    const { status, body: made, text } = await post('alerts', body);
    if (status !== 201) throw new Error(text);
    await scene.catchUp();
    return String(made.id);
  }

  /** Alerts decide on what has been, as if they had been made then. */
  async function begin(since: number): Promise<void> {
    await run(
      scene.pool,
      sql`insert into tracker_minutes select generate_series(now() - interval '2 hours', now(), '1 minute') on conflict do nothing`,
    );
    await waitUntil(async () => (await run(scene.pool, sql`select from alert_states`)).length === 2);
    await run(scene.pool, sql`update alert_states set decided_until = ${new Date(since)}, due_at = now()`);
  }

  beforeAll(async () => {
    scene = await openSendingScene();
    receiver = await startReceiver();
  });

  afterAll(async () => {
    await scene.close();
    await receiver.stop();
  });
});
