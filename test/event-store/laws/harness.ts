import { createPrivateKey, randomUUID } from 'node:crypto';
import type { JsonObject } from '@ledgerline/contracts/json';
import type {
  AppendResult,
  EventStore,
  ExpectedRevision,
  JsonEvent,
  NewEvent,
  RecordedEvent,
} from '@ledgerline/platform/event-store/event-store';
import { publicKeysOf } from '@ledgerline/platform/event-store/head-statement';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { waitUntil } from '../../wait-until';

/** One real store and what the laws do to it. */
export interface EventStoreHarness {
  /** Opens the store as another process would. */
  open(): Promise<EventStore>;
  /** Breaks every connection the opened stores have, as a network or a server restart does. */
  killConnections(): Promise<void>;
  /** Keeps a copy of the store's data; answers what replaces the data by it under the opened stores. Absent on a real server. */
  copy?(): Promise<() => Promise<void>>;
  /** The time, ms, that an acknowledged append may take to show in `read` and `readBack`. */
  readonly visibleWithinMs: number;
  close(): Promise<void>;
}

export interface HarnessOptions {
  /** True if the store's chains are sealed beside, where that is work of its own. */
  readonly isSealed: boolean;
}

/**
 * The key, which is the same in every run, for a real server keeps what earlier runs sealed; PKCS#8 of an Ed25519 key.
 */
const key = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${'7e'.repeat(32)}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
});
/** The sealer's key in tests, and its public key. */
export const signedBy = publicKeysOf(key);
export const sealing = { key, paceMs: 20 };

export const event = (data: JsonObject = {}, more: Partial<JsonEvent> = {}): JsonEvent => ({
  id: randomUUID(),
  type: 'SomethingDecided',
  data,
  metadata: { actor: 'usr_1', command: 'DoSomething' },
  ...more,
});

let streams = 0;
const run = randomUUID().slice(0, 8);

/** A stream, or an organization, that no other test uses. */
export const freshOrganization = (): string => `org_${run}_${++streams}`;
export const freshStream = (organization = freshOrganization()): string => `${organization}-thing-${++streams}`;

/** Appends and insists. */
export async function appended(
  store: EventStore,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<Extract<AppendResult, { ok: true }>> {
  const result = await store.append(stream, expected, events);
  if (!result.ok) throw new Error(`Expected ${expected}, but the stream is at ${result.conflict}.`);
  return result;
}

/** Appends event after event, each again while its outcome is unknown; returns their ids. */
export async function appendPatiently(store: EventStore, stream: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const own = event({ n });
    const result = await waitUntil(() =>
      store.append(stream, n === 0 ? 'no-stream' : n - 1, [own]).catch(() => undefined),
    );
    if (!result.ok || result.revision !== n) throw new Error(`Append ${n} became ${JSON.stringify(result)}.`);
    ids.push(own.id);
  }
  return ids;
}

/** Everything after a cursor, read in pages until nothing more is there. */
export async function readAll(store: EventStore, after: Cursor = BEGINNING, max = 500): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let cursor = after; ;) {
    const batch = await store.read(0, cursor, { max });
    events.push(...batch.events);
    cursor = batch.next;
    if (batch.atHead) return events;
  }
}

export const idsOf = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id);
