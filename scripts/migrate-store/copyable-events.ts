import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { checkAppend } from '@ledgerline/platform/event-store/appended-events';
import {
  GLOBAL,
  streamOrganization,
  type EventStore,
  type RecordedEvent,
  type StreamName,
  ORGANIZATION_CREATED,
} from '@ledgerline/platform/event-store/event-store';
import { BEGINNING, type Cursor, type ReaderPosition } from '@ledgerline/platform/log/log-reader';

/** Called once for each stream of which events cannot be copied. */
export type OnLeftOut = (stream: StreamName, reason: string) => void;

const PAGE = 500;

/** The events that a store can be given, where each stream begins at its first event and goes on without a gap. */
export async function* copyable(
  events: AsyncIterable<RecordedEvent>,
  onLeftOut: OnLeftOut = () => undefined,
): AsyncGenerator<RecordedEvent, void> {
  const lengths = new Map<StreamName, number>();
  const ended = new Set<StreamName>();
  for await (const event of events) {
    const { stream, revision } = event;
    const length = lengths.get(stream) ?? 0;
    const reason = ended.has(stream) ? undefined : obstacleTo(event, length);
    if (reason !== undefined) {
      ended.add(stream);
      onLeftOut(stream, `Its events from revision ${length} on are not copied: ${reason}`);
    }
    if (ended.has(stream)) continue;
    lengths.set(stream, revision + 1);
    yield event;
  }
}

/** The events of some organizations, by default of all; calls `onForeign` with the stream of each event that is passed over. */
export async function* ownEvents(
  events: AsyncIterable<RecordedEvent>,
  own: ReadonlySet<string> | undefined,
  onForeign: (stream: StreamName) => void = () => undefined,
): AsyncGenerator<RecordedEvent, void> {
  for await (const event of events)
    if (own?.has(streamOrganization(event.stream)) ?? true) yield event;
    else onForeign(event.stream);
}

function obstacleTo(event: RecordedEvent, length: number): string | undefined {
  if (event.revision !== length) return `the source has none before revision ${event.revision}.`;
  try {
    checkAppend(event.stream, 'no-stream', [event]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Returns the organizations that were created in a store which other programs may write to, and the streams of no
 * organization.
 */
export async function createdOrganizations(store: EventStore): Promise<ReadonlySet<string>> {
  const created = new Set([GLOBAL]);
  for await (const { stream } of copyableEvents(store, { types: [ORGANIZATION_CREATED] })) {
    const organization = streamOrganization(stream);
    if (stream === RECORD_KINDS.organizations.stream({ id: organization })) created.add(organization);
  }
  return created;
}

/** Up to the head that the store has when it is reached, or up to a cursor. */
export async function* copyableEvents(
  store: EventStore,
  { until, types }: { readonly until?: Cursor; readonly types?: readonly string[] } = {},
): AsyncGenerator<RecordedEvent, void> {
  let cursor = BEGINNING;
  let digest: ReaderPosition['digest'];
  let atHead = false;
  while (!atHead) {
    const batch = await store.read(0, cursor, { max: PAGE, digest, ...(types ? { types } : {}) });
    for (const event of batch.events) {
      if (until !== undefined && store.compare(event.cursor, until) > 0) return;
      yield event;
    }
    ({ next: cursor, digest, atHead } = batch);
  }
}
