import type { EventStore, HistoryEntry, HistoryPage } from '@ledgerline/platform/event-store/event-store';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { waitUntil } from '../../wait-until';
import { appended, event, freshOrganization, freshStream, type EventStoreHarness } from './harness';

/** Events of both schemas, with and without a sealed part. */
const mixed = [{ sealed: 'AAAA' }, {}, { sealed: 'AAAA', metadata: { actor: 'usr_1', schemaVersion: '2' } }];

type History = Pick<EventStore, 'readBack' | 'chainHead'>;

/** Law 14: one chain per organization, which names the first place that is not as it was recorded. */
export function chainLaws(store: () => EventStore, harness: () => EventStoreHarness): void {
  describe('law 14: the hash chain', () => {
    let organization: string;
    let entries: readonly HistoryEntry[];

    beforeAll(async () => {
      organization = freshOrganization();
      const streams = [freshStream(organization), freshStream(organization)];
      for (let n = 0; n < 10; n += 1) {
        const expected = n < 2 ? 'no-stream' : Math.floor(n / 2) - 1;
        await appended(store(), streams[n % 2]!, expected, [event({ n }, mixed[n % 3])]);
      }
      entries = await waitUntil(
        () => store().readBack({ organization, limit: 100 }),
        (page) => page.length === 10 && page.every(({ chain }) => chain),
        harness().visibleWithinMs,
      );
    });

    it('holds over an untouched history, whatever the page size', async () => {
      for (const pageSize of [1, 3, 10, 500]) {
        expect(await verifyChain(store(), organization, { pageSize })).toMatchObject({
          valid: true,
          events: 10,
          unsealed: 0,
          head: { revision: 9, hash: entries[0]?.chain?.hash },
        });
      }
    });

    it('holds for an organization without history', async () => {
      const empty = freshOrganization();
      expect(await verifyChain(store(), empty)).toEqual({ valid: true, events: 0, unsealed: 0, head: null });
    });

    it('counts its places from the first event', () => {
      expect(entries.map(({ chain }) => chain?.revision)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    });

    const at = (revision: number): HistoryEntry => entries.find(({ chain }) => chain?.revision === revision)!;
    const verdictOn = (history: readonly HistoryEntry[]) =>
      verifyChain(tamperedStore(store(), history), organization, { pageSize: 3 });

    it.each([0, 4, 9])('names an event that was changed: %i', async (revision) => {
      for (const change of [
        { data: { n: 'forged' } },
        { metadata: {} },
        { sealed: 'BBBB' },
        { type: 'Forged' },
        { revision: 99 },
      ]) {
        const history = entries.map((entry) => (entry === at(revision) ? { ...entry, ...change } : entry));
        expect(await verdictOn(history)).toMatchObject({
          valid: false,
          firstInvalid: { revision, finding: 'changed' },
        });
      }
    });

    it.each([0, 4, 9])('names an event that was dropped: %i', async (revision) => {
      const history = entries.filter((entry) => entry !== at(revision));
      expect(await verdictOn(history)).toMatchObject({ valid: false, firstInvalid: { revision, finding: 'dropped' } });
    });

    it('names the first of several that were dropped', async () => {
      const history = entries.filter((entry) => ![at(2), at(3), at(7)].includes(entry));
      expect(await verdictOn(history)).toMatchObject({ firstInvalid: { revision: 2, finding: 'dropped' } });
    });

    it('notices when everything was dropped', async () => {
      expect(await verdictOn([])).toMatchObject({ valid: false, firstInvalid: { revision: 0, finding: 'dropped' } });
    });

    it.each([
      [0, 1],
      [4, 5],
      [2, 8],
      [0, 9],
    ])('names the place where %i and %i were swapped', async (a, b) => {
      const history = entries.map((entry) => (entry === at(a) ? at(b) : entry === at(b) ? at(a) : entry));
      expect(await verdictOn(history)).toMatchObject({
        valid: false,
        firstInvalid: { revision: a, finding: 'swapped' },
      });
    });

    it.each([0, 5, 9])('names the place where one was inserted: before %i', async (revision) => {
      const forged: HistoryEntry = { ...at(revision), ...event({ forged: true }), chain: null };
      const history = entries.flatMap((entry) => (entry === at(revision) ? [entry, forged] : [entry]));
      expect(await verdictOn(history)).toMatchObject({
        valid: false,
        firstInvalid: { revision, finding: 'inserted', id: forged.id },
      });
    });

    it('must run through a head that was kept elsewhere', async () => {
      const { revision, hash } = at(6).chain!;
      expect((await verifyChain(store(), organization, { heads: [{ revision, hash }] })).valid).toBe(true);
      const other = { revision, hash: 'f'.repeat(64) };
      expect((await verifyChain(store(), organization, { heads: [other] })).firstInvalid?.revision).toBe(6);
    });
  });
}

/** A store whose history was tampered with; its sealed head is the true one. */
function tamperedStore(store: EventStore, history: readonly HistoryEntry[]): History {
  return {
    chainHead: (organization) => store.chainHead(organization),
    readBack: ({ before, limit }: HistoryPage) => {
      const start = before === undefined ? 0 : history.findIndex(({ cursor }) => cursor === before) + 1;
      return Promise.resolve(history.slice(start, start + limit));
    },
  };
}
