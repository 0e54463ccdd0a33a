import { setTimeout } from 'node:timers/promises';
import { BEGINNING, type Cursor, type LogPosition } from '@ledgerline/platform/log/log-reader';
import { canonicalJson } from '@ledgerline/platform/event-store/chain-hash';
import { checkAppend } from '@ledgerline/platform/event-store/checked-append';
import {
  MAX_APPEND_BYTES,
  organizationOf,
  type ChainHead,
  type EventStore,
  type RecordedEvent,
  type SealedHead,
  type StreamName,
} from '@ledgerline/platform/event-store/event-store';
import type { PublicKeys } from '@ledgerline/platform/event-store/head-statement';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';

/** The copy cannot be made or does not match; the message is one sentence for people. */
export class CopyRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CopyRefused';
  }
}

interface CopyResult {
  /** In the source up to the head it had at first, without those that cannot be copied. */
  readonly events: number;
  /** Of them written by this run; the others were there from one that was interrupted. */
  readonly copied: number;
}

interface Verified {
  readonly events: number;
  readonly organizations: number;
  /** For each wanted cursor of the source, the cursor of the same event in the target. */
  readonly places: ReadonlyMap<Cursor, Cursor>;
}

interface Verification {
  /** The Ed25519 public keys of the installation, one of which signed each seal where a store has seals. */
  readonly signedBy: PublicKeys;
  /** Places in the source that are looked for in the target. */
  readonly wanted?: readonly Cursor[];
  /** Heads of an organization that both chains run through: those that were signed of the source. */
  readonly signedHeads?: ((organization: string) => Promise<readonly ChainHead[]>) | undefined;
  readonly onProgress?: Progress;
  /** Called with the head in which both chains of an organization end. */
  readonly onVerified?: (organization: string, head: ChainHead) => void;
  /** Called for a history of the source that is not what was sealed; without it, none such is accepted. */
  readonly onUnproven?: (organization: string, reason: string) => void;
}

type Progress = (events: number) => void;

/** Called once for each stream of which events cannot be copied. */
type OnLeftOut = (stream: StreamName, reason: string) => void;

const PAGE = 500;
/** Of one append; events are at most 64 KiB each, so that this many always fit. */
const MAX_RUN = MAX_APPEND_BYTES / (64 * 1024);
const SEALED_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 200;

/**
 * Copies every event that any store can hold with its stream, revision, id, metadata and time, in the order of the source,
 * up to the head the source has now. The target must be empty, or hold the beginning of the source as an earlier copy leaves it, and
 * have no other writer.
 * @throws CopyRefused
 */
export async function copyEvents(
  source: EventStore,
  target: EventStore,
  onProgress: Progress = () => undefined,
  onLeftOut: OnLeftOut = () => undefined,
): Promise<CopyResult> {
  const there = eventsOf(target);
  let [present, events, isResuming] = [0, 0, true];
  let run: RecordedEvent[] = [];
  for await (const event of copyable(eventsUpToHead(source), onLeftOut)) {
    const other = isResuming ? await next(there) : undefined;
    isResuming = other !== undefined;
    if (other) {
      if (!isSame(event, other)) throw new CopyRefused('The target is not empty: it holds events the source does not.');
      present += 1;
    } else {
      if (!follows(event, run)) run = await write(target, run);
      run.push(event);
    }
    onProgress((events += 1));
  }
  if (isResuming && (await next(there))) throw new CopyRefused('The target holds more events than the source.');
  await write(target, run);
  return { events, copied: events - present };
}

/**
 * Compares a copy with its source: event by event, and each organization's chain up to the same head. Neither may be
 * written to meanwhile.
 * @throws CopyRefused
 */
export async function verifyCopy(
  source: EventStore,
  target: EventStore,
  { wanted = [], onProgress = () => undefined, ...proof }: Verification,
): Promise<Verified> {
  const head = await source.head(0);
  if (wanted.some((cursor) => source.compare(cursor, head) > 0))
    throw new CopyRefused('A projection has come further than the source holds; rebuild it first.');
  const [organizations, cut] = [new Set<string>(), new Set<string>()];
  const places = new Map(wanted.map((cursor) => [cursor, BEGINNING]));
  const copies = eventsOf(target);
  let events = 0;
  for await (const event of copyable(eventsOf(source), (stream) => cut.add(organizationOf(stream)))) {
    const other = await next(copies);
    if (!other || !isSame(event, other)) throw new CopyRefused(`The copy differs at event ${event.id}.`);
    organizations.add(organizationOf(event.stream));
    for (const cursor of wanted) if (source.compare(event.cursor, cursor) <= 0) places.set(cursor, other.cursor);
    onProgress((events += 1));
  }
  if (await next(copies)) throw new CopyRefused('The target holds more events than the source.');
  for (const organization of organizations)
    await compareChains(source, target, organization, { ...proof, isCut: cut.has(organization) });
  return { events, organizations: organizations.size, places };
}

const follows = (event: RecordedEvent, run: readonly RecordedEvent[]): boolean =>
  run.length < MAX_RUN &&
  run.at(-1)?.stream === event.stream &&
  event.revision === run.length + (run[0]?.revision ?? 0);

/** Appends events that follow one another in one stream; answers the next, empty run. */
async function write(target: EventStore, run: readonly RecordedEvent[]): Promise<RecordedEvent[]> {
  const [first] = run;
  if (!first) return [];
  const expected = first.revision === 0 ? 'no-stream' : first.revision - 1;
  const result = await target.append(first.stream, expected, run);
  if (result.ok) return [];
  throw new CopyRefused(`The target has other events in ${first.stream}; is something else writing to it?`);
}

type Proof = Pick<Verification, 'signedBy' | 'signedHeads' | 'onUnproven' | 'onVerified'>;

async function compareChains(
  source: EventStore,
  target: EventStore,
  organization: string,
  { signedBy, signedHeads, onUnproven, onVerified, isCut }: Proof & { readonly isCut: boolean },
) {
  const proof = { signedBy, heads: (await signedHeads?.(organization)) ?? [] };
  const compared = isCut
    ? Promise.reject(new CopyRefused(`The copy lacks events of ${organization}.`))
    : provenHead(source, organization, proof);
  const one = await compared.catch((error: unknown) => {
    if (!onUnproven || !(error instanceof CopyRefused)) throw error;
    onUnproven(organization, error.message);
    return undefined;
  });
  const isShown = !onUnproven || one?.hash === (await target.chainHead(organization))?.hash;
  if (one !== undefined && !isShown) onUnproven(organization, HIDDEN);
  if (one === undefined || !isShown) {
    await provenHead(target, organization, { signedBy, heads: [] }); // the copy leads on from nothing that was kept
    return;
  }
  const other = await provenHead(target, organization, proof);
  if (one?.hash !== other?.hash) throw new CopyRefused(`The chains of ${organization} end in different hashes.`);
  if (other) onVerified?.(organization, other);
}

/** All events are equal, but the hashes in which both chains end are not. */
const HIDDEN =
  'Its audit log there lacks events that the copy has: a deleted stream or a limit of one hides them. Decide with "npm run audit -- reseal".';

/** Waits for a sealer where the store has one. */
async function provenHead(
  store: EventStore,
  organization: string,
  proof: { signedBy: PublicKeys; heads: readonly ChainHead[] },
): Promise<SealedHead | null> {
  const until = Date.now() + SEALED_WITHIN_MS;
  let verdict = await verifyChain(store, organization, proof);
  while (verdict.unsealed > 0 && Date.now() < until) {
    await setTimeout(LOOK_AGAIN_MS);
    verdict = await verifyChain(store, organization, proof);
  }
  if (verdict.signature === 'invalid')
    throw new CopyRefused(`The chain of ${organization} is not signed with a key of this installation.`);
  if (!verdict.valid || verdict.unsealed > 0) throw new CopyRefused(`The chain of ${organization} does not hold.`);
  return verdict.head;
}

/** The events that a store can be given, where each stream begins at its first event and goes on without a gap. */
async function* copyable(
  events: AsyncIterable<RecordedEvent>,
  onLeftOut: OnLeftOut,
): AsyncGenerator<RecordedEvent, void> {
  const [lengths, ended] = [new Map<StreamName, number>(), new Set<StreamName>()];
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

function obstacleTo(event: RecordedEvent, length: number): string | undefined {
  if (event.revision !== length) return `the source has none before revision ${event.revision}.`;
  try {
    checkAppend(event.stream, 'no-stream', [event]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function* eventsUpToHead(store: EventStore): AsyncGenerator<RecordedEvent, void> {
  const head = await store.head(0);
  for await (const event of eventsOf(store)) {
    if (store.compare(event.cursor, head) > 0) return;
    yield event;
  }
}

async function* eventsOf(store: EventStore): AsyncGenerator<RecordedEvent, void> {
  let [{ cursor, digest }, atHead]: [LogPosition, boolean] = [{ cursor: BEGINNING }, false];
  while (!atHead) {
    const batch = await store.read(0, cursor, { max: PAGE, digest });
    yield* batch.events;
    ({ next: cursor, digest, atHead } = batch);
  }
}

async function next(events: AsyncGenerator<RecordedEvent, void>): Promise<RecordedEvent | undefined> {
  const result = await events.next();
  return result.done ? undefined : result.value;
}

const isSame = (one: RecordedEvent, other: RecordedEvent): boolean => textOf(one) === textOf(other);

const textOf = ({ stream, revision, id, type, data, sealed, metadata, recordedAt }: RecordedEvent): string =>
  canonicalJson({ stream, revision, id, type, data, sealed, metadata, recordedAt: recordedAt.toISOString() });
