import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { SealingProgress, readSealingProgress } from '@ledgerline/platform/event-store/sealing-progress';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { observeProjections } from '@ledgerline/platform/metrics/projection-metrics';
import { sealingLag } from '@ledgerline/platform/read-stores/projection-states';
import { appendForeign } from '@test/event-store/eventstoredb-double/append-foreign';
import { SealingScene } from '@test/event-store/eventstoredb-double/sealing-scene';
import { appended, event, freshOrganization } from '@test/event-store/laws/harness';
import { waitUntil } from '@test/wait-until';
import type { EventStoreDbEventStore } from './eventstoredb-event-store';

describe('how far an EventStoreDB is sealed', () => {
  it('is up to the end also of foreign events, and stays behind what comes while nothing is sealed', async () => {
    const reader = await scene.open();
    const sealer = await scene.sealer(true);
    await appended(sealer, RECORD_KINDS.organizations.stream({ id: organization }), 'no-stream', [
      event({}, { type: 'OrganizationCreated' }),
    ]);
    appendForeign(scene.double, 500);
    const head = await reader.head();
    await waitUntil(
      () => readSealingProgress(scene.pool),
      (progress) => progress !== undefined && reader.compare(progress.passed, head) >= 0,
    );
    expect(await lag(reader)).toBe(0);
    await sealer.close();
    appendForeign(scene.double, 1);
    scene.double.log.all = scene.double.log.all.map((stored) => ({ ...stored, created: minuteAgo }));
    expect(await lag(reader)).toBeGreaterThanOrEqual(60_000);
    expect(await metric(reader)).toBeGreaterThanOrEqual(60);
  });

  it('is not said where no sealer was seen', async () => {
    expect(await lag(await scene.open())).toBeUndefined();
  });

  it('is written by one process, until it is silent', async () => {
    const note = (cursor: string) => new SealingProgress(scene.pool).note(cursor);
    const passed = async () => (await readSealingProgress(scene.pool))?.passed;
    await note('5.5');
    await note('3.3');
    expect(await passed()).toBe('5.5');
    await scene.pool.query(`update sealing_progress set seen_at = seen_at - interval '11 s'`);
    await note('3.3');
    expect(await passed()).toBe('3.3');
  });
});

const lag = (store: EventStoreDbEventStore) => sealingLag({ eventStoreUrl: scene.double.url }, scene.pool, store);

async function metric(eventStore: EventStoreDbEventStore): Promise<number> {
  const metrics = new Metrics();
  observeProjections(metrics, {
    main: scene.pool,
    stores: [],
    eventStore,
    settings: { eventStoreUrl: scene.double.url },
  });
  const [, value] = /^ledgerline_sealing_lag_seconds (\S+)$/m.exec(await metrics.text()) ?? [];
  return Number(value);
}

let scene: SealingScene;
let organization: string;
const minuteAgo = new Date(Date.now() - 60_000);

beforeEach(async () => {
  scene = await SealingScene.start();
  organization = freshOrganization();
});
afterEach(() => scene.stop());
