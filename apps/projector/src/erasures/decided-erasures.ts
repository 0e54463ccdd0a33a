import { randomUUID } from 'node:crypto';
import type { ErasureExtended, HitsExpired, HitsRewritten } from '@ledgerline/contracts/events/audit-log.events';
import { type ErasureRule, isErasure, ruleKey, rulesOf } from '@ledgerline/domain/erasures/erasure-rules';
import {
  type EventStore,
  decidedIn,
  erasureStream,
  occurredAt,
  readWholeStream,
  versionMetadata,
} from '@ledgerline/platform/event-store/event-store';
import { BEGINNING, type ReaderPosition, isReplaced } from '@ledgerline/platform/log/log-reader';

/** Where the erasures of visitors are decided, and what is found of them recorded. */
export type ErasureStore = Pick<EventStore, 'read' | 'readStream' | 'append'>;

const TYPES = ['SubjectErased', 'ErasureExtended', 'HitsExpired'] as const;

/** The rules that the event store has; each is read once. */
export class DecidedErasures {
  private position: ReaderPosition = { cursor: BEGINNING };

  constructor(private readonly store: ErasureStore) {}

  /** Hands over the rules that were added since; they count as read when that resolves. */
  async readOn(handle: (added: readonly ErasureRule[]) => Promise<void>): Promise<void> {
    const added: ErasureRule[] = [];
    let { position } = this;
    try {
      for (let atHead = false; !atHead;) {
        const { cursor, digest } = position;
        const read = await this.store.read(0, cursor, { max: 1_000, types: TYPES, digest });
        for (const event of decidedIn(read.events))
          if (isErasure(event)) for (const rule of rulesOf(event, Date.parse(occurredAt(event)))) added.push(rule);
        position = { cursor: read.next, digest: read.digest };
        ({ atHead } = read);
      }
    } catch (error) {
      if (isReplaced(error)) this.position = { cursor: BEGINNING };
      throw error;
    }
    await handle(added);
    this.position = position;
  }

  /** Adds rules to the erasures that they are of; may be repeated. */
  async record(found: readonly ErasureRule[]): Promise<void> {
    for (const erasureId of new Set(found.map((rule) => rule.erasureId)))
      await this.extend(found.filter((rule) => rule.erasureId === erasureId));
  }

  private async extend(found: readonly ErasureRule[]): Promise<void> {
    const [first] = found;
    if (!first) return;
    const stream = erasureStream(first.organizationId, first.erasureId);
    for (;;) {
      const events = await readWholeStream(this.store, stream);
      if (events.length === 0) return; // of an older copy of the event store, where there is no such erasure
      const known = new Set(
        decidedIn(events).flatMap((event) => (isErasure(event) ? rulesOf(event, 0).map(ruleKey) : [])),
      );
      const missing = new Map(found.map((rule) => [ruleKey(rule), rule]));
      for (const key of known) missing.delete(key);
      if (missing.size === 0) return;
      const added = [...missing.values()].slice(0, AT_ONCE);
      await this.store.append(stream, events.length - 1, [extension(first, added)]); // after a conflict, read again
    }
  }
}

/** Rules of one event, which may be of 64 KiB. */
const AT_ONCE = 500;

function extension({ organizationId, erasureId, websiteId, until }: ErasureRule, found: readonly ErasureRule[]) {
  const idsOf = (wanted: ErasureRule['kind']) => found.filter(({ kind }) => kind === wanted).map(({ id }) => id);
  const clicks = found.filter(({ kind }) => kind === 'click').map(({ subject, id }) => ({ linkId: subject, id }));
  return erasureEvent('ExtendErasure', {
    type: 'ErasureExtended',
    data: {
      organizationId,
      erasureId,
      websiteId,
      until: new Date(until).toISOString(),
      visitors: idsOf('visitor'),
      sessions: idsOf('session'),
      clicks,
    },
  });
}

/** The events that a projector appends to the stream of an erasure. */
export function erasureEvent(commandType: string, { type, data }: ErasureExtended | HitsExpired | HitsRewritten) {
  const commandId = randomUUID();
  const metadata = {
    actor: 'system',
    actorType: 'system',
    organization: data.organizationId,
    correlation: data.erasureId,
    causation: commandId,
    command: commandId,
    commandType,
    occurredAt: new Date().toISOString(),
    app: 'projector',
    schemaVersion: '2',
    ...versionMetadata(type),
  };
  return { id: randomUUID(), type, data, metadata };
}
