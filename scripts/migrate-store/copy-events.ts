import { setTimeout } from 'node:timers/promises';
import { canonicalJson } from '@ledgerline/platform/event-store/appended-events';
import {
  MAX_APPEND_BYTES,
  streamOrganization,
  type ChainHead,
  type EventStore,
  type RecordedEvent,
  type SealedHead,
  type StreamName,
} from '@ledgerline/platform/event-store/event-store';
import type { PublicKeys } from '@ledgerline/platform/event-store/head-statement';
import { type ChainVerdict, verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { copyable, copyableEvents, type OnLeftOut, ownEvents } from './copyable-events';

/** The copy cannot be made or does not match; the message is one sentence for people. */
export class CopyRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CopyRefused';
  }
}

/** The events in streams of other organizations than those that are copied. */
export interface ForeignEvents {
  readonly foreignEvents: number;
  readonly foreignStreams: ReadonlySet<StreamName>;
}

interface CopyResult extends ForeignEvents {
  /** In the source up to the head it had at first, without those that are not copied. */
  readonly events: number;
  /** The number written by this run; the others were there from one that was interrupted. */
  readonly copied: number;
}

interface CopyOptions {
  /** Called once the head is known up to which is copied; by default the events of all organizations are. */
  readonly own?: () => Promise<ReadonlySet<string> | undefined>;
  readonly onProgress?: Progress;
  readonly onLeftOut?: OnLeftOut;
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
  /** The organizations that were copied; by default all. */
  readonly own?: ReadonlySet<string> | undefined;
  /** The time for which a sealer may make no progress; ms. */
  readonly sealedWithinMs?: number;
  readonly onProgress?: Progress;
  /** Called with the head in which both chains of an organization end. */
  readonly onVerified?: (organization: string, head: ChainHead) => void;
  /** Called for a history of the source that is not what was sealed; without it, none such is accepted. */
  readonly onUnproven?: (organization: string, reason: string) => void;
}

type Progress = (events: number) => void;

/** The greatest number of events in one append; they are at most 64 KiB each, so that this many always fit. */
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
  { own: ownIn = () => Promise.resolve(undefined), onProgress = () => undefined, ...options }: CopyOptions = {},
): Promise<CopyResult> {
  const head = await source.head(0);
  const own = await ownIn();
  const foreignStreams = new Set<StreamName>();
  let foreignEvents = 0;
  const ownInSource = ownEvents(copyableEvents(source, { until: head }), own, (stream) => {
    foreignStreams.add(stream);
    foreignEvents += 1;
  });
  const there = ownEvents(copyableEvents(target), own);
  let present = 0;
  let events = 0;
  let isResuming = true;
  let run: RecordedEvent[] = [];
  for await (const event of copyable(ownInSource, options.onLeftOut)) {
    const other: RecordedEvent | undefined = isResuming ? await next(there) : undefined;
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
  return { events, copied: events - present, foreignEvents, foreignStreams };
}

/**
 * Compares a copy with its source: event by event, and each organization's chain up to the same head. Neither may be
 * written to meanwhile.
 * @throws CopyRefused
 */
export async function verifyCopy(
  source: EventStore,
  target: EventStore,
  { wanted = [], own, sealedWithinMs, onProgress = () => undefined, ...proof }: Verification,
): Promise<Verified> {
  const head = await source.head(0);
  if (wanted.some((cursor) => source.compare(cursor, head) > 0))
    throw new CopyRefused('A projection has come further than the source holds; rebuild it first.');
  const organizations = new Map<string, number>();
  const cut = new Set<string>();
  const places = new Map(wanted.map((cursor) => [cursor, BEGINNING]));
  const copies = ownEvents(copyableEvents(target), own);
  let events = 0;
  for await (const event of copyable(ownEvents(copyableEvents(source), own), (stream) =>
    cut.add(streamOrganization(stream)),
  )) {
    const other = await next(copies);
    if (!other || !isSame(event, other)) throw new CopyRefused(`The copy differs at event ${event.id}.`);
    const organization = streamOrganization(event.stream);
    organizations.set(organization, (organizations.get(organization) ?? 0) + 1);
    for (const cursor of wanted) if (source.compare(event.cursor, cursor) <= 0) places.set(cursor, other.cursor);
    onProgress((events += 1));
  }
  if (await next(copies)) throw new CopyRefused('The target holds more events than the source.');
  const wait = new SealingWait(sealedWithinMs);
  for (const [organization, count] of organizations)
    await compareChains(source, target, organization, { ...proof, wait, isCut: cut.has(organization), count });
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

/** The events of an organization in the copy. */
interface CopiedHistory {
  /** The source has others that no store can hold. */
  readonly isCut: boolean;
  readonly count: number;
}

interface Proof extends Pick<Verification, 'signedBy' | 'signedHeads' | 'onUnproven' | 'onVerified'> {
  readonly wait: SealingWait;
}

async function compareChains(
  source: EventStore,
  target: EventStore,
  organization: string,
  { wait, signedBy, signedHeads, onUnproven, onVerified, isCut, count }: Proof & CopiedHistory,
) {
  const proof = { wait, signedBy, heads: (await signedHeads?.(organization)) ?? [] };
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
    await provenHead(target, organization, { wait, signedBy, heads: [] }, count); // the copy leads on from nothing that was kept
    return;
  }
  const other = await provenHead(target, organization, proof, count);
  if (one?.hash !== other?.hash) throw new CopyRefused(`The chains of ${organization} end in different hashes.`);
  if (other) onVerified?.(organization, other);
}

/** All events are equal, but the hashes in which both chains end are not. */
const HIDDEN =
  'Its audit log there lacks events that the copy has: a deleted stream or a limit of one hides them. Decide with "npm run audit -- reseal".';

/** One of all organizations, as a sealer goes on with others beside one that it cannot seal. */
class SealingWait {
  private readonly withinMs: number;
  private until: number;

  constructor(withinMs = SEALED_WITHIN_MS) {
    this.withinMs = withinMs;
    this.until = Date.now() + withinMs;
  }

  /** @param count of events that the store's own head includes at least; heads that are given may lead on from it */
  async untilSealed(look: () => Promise<ChainVerdict>, count: number): Promise<ChainVerdict> {
    for (let verdict = await look(), hasWaited = false; ; hasWaited = true) {
      const headed = verdict.head === null ? 0 : verdict.head.revision + 1;
      if (verdict.unsealed === 0 && headed >= count) {
        if (hasWaited) this.until = Date.now() + this.withinMs;
        return verdict;
      }
      if (Date.now() > this.until) return verdict;
      await setTimeout(LOOK_AGAIN_MS);
      verdict = await look();
    }
  }
}

/** Waits for a sealer where the store has one. */
async function provenHead(
  store: EventStore,
  organization: string,
  { wait, ...proof }: { wait: SealingWait; signedBy: PublicKeys; heads: readonly ChainHead[] },
  count = 0,
): Promise<SealedHead | null> {
  const verdict = await wait.untilSealed(() => verifyChain(store, organization, proof), count);
  if (verdict.signature === 'invalid')
    throw new CopyRefused(`The chain of ${organization} is not signed with a key of this installation.`);
  if (!verdict.valid || verdict.unsealed > 0) throw new CopyRefused(`The chain of ${organization} does not hold.`);
  return verdict.head;
}

async function next(events: AsyncGenerator<RecordedEvent, void>): Promise<RecordedEvent | undefined> {
  const result = await events.next();
  return result.done ? undefined : result.value;
}

const isSame = (one: RecordedEvent, other: RecordedEvent): boolean => textOf(one) === textOf(other);

const textOf = ({ stream, revision, id, type, data, sealed, metadata, recordedAt }: RecordedEvent): string =>
  canonicalJson({ stream, revision, id, type, data, sealed, metadata, recordedAt: recordedAt.toISOString() });
