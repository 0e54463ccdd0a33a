import { SealingScene } from '@test/event-store/eventstoredb-double/sealing-scene';
import { waitUntil } from '@test/wait-until';

const ORGANIZATIONS = Array.from({ length: 1_000 }, (_, n) => `org_${n}`);
/** Spread over all of them. */
const DAMAGED = ORGANIZATIONS.filter((_, n) => n % 80 === 40).slice(0, 12);

describe('the seals of organizations without new events', () => {
  it('are looked at with one read each, and damage of a dozen is named within one round', async () => {
    const store = await scene.sealer();
    for (const organization of ORGANIZATIONS) await scene.record(store, organization, 1);
    await waitUntil(stated, (count) => count === ORGANIZATIONS.length);
    const reads = new Map<string, number>();
    const most = (of: readonly string[]) =>
      Math.max(...of.map((organization) => reads.get(sealsOf(organization)) ?? 0));
    scene.double.onRead = (stream) => void reads.set(stream, (reads.get(stream) ?? 0) + 1);
    const nextRound = () => waitUntil(() => reads.has(sealsOf(ORGANIZATIONS[0]!)));
    await nextRound();
    let readsOfEach = 0;
    for (let rounds = 0; rounds < 10 && readsOfEach !== 1; rounds += 1) {
      reads.clear(); // the first round compares all of what was sealed last, and now and then one does again
      await nextRound();
      readsOfEach = most(ORGANIZATIONS);
    }
    expect(readsOfEach).toBe(1);
    expect([...reads.keys()].filter((stream) => !stream.startsWith(sealsOf('')))).toEqual([]);

    reads.clear();
    const streams = new Set(DAMAGED.map(sealsOf));
    scene.double.log.all = scene.double.log.all.filter(({ stream }) => !streams.has(stream)); // nothing in the log says so
    await waitUntil(
      () => scene.faults(),
      (faults) => Object.keys(faults).length === DAMAGED.length,
    );
    const others = ORGANIZATIONS.filter((organization) => !DAMAGED.includes(organization));
    expect(most(others)).toBeLessThanOrEqual(3); // of one round, whether or not it compares all
  });
});

const sealsOf = (organization: string): string => `ledgerline-seals_${organization}`;

const stated = async (): Promise<number> =>
  Number(
    (
      await scene.pool.query<{ count: string }>(
        `select count(distinct head ->> 'organization') from head_statements, jsonb_array_elements(heads) head
         where (head ->> 'revision')::int >= 0`,
      )
    ).rows[0]?.count,
  );

let scene: SealingScene;

beforeEach(async () => {
  scene = await SealingScene.start();
});
afterEach(() => scene.stop());
