import { setTimeout } from 'node:timers/promises';
import type { Json, JsonObject } from '@ledgerline/contracts/json';
import { canonicalJson, type ChainedEvent, leaveOut, type SealedLink } from './appended-events';
import { type ChainPlace, type EventStore, type HistoryEntry, historyPages } from './event-store';
import type { HeadSigner } from './head-signer';
import type { SignedHead } from './head-statement';

/**
 * An export of an organization's history: one JSON value a line, the signed head of its chain first, then every place
 * from there down to the first. A place has its event, or the hash of its content where a filter leaves the event out.
 * Lines are canonical JSON and hold nothing but what the proof needs, so that every changed byte is noticed.
 */
const FORMAT = 'ledgerline-audit-log/1';

export const headLine = ({ organization, revision, hash, signedAt, keyId, signature }: SignedHead): string =>
  canonicalJson({ format: FORMAT, head: { organization, revision, hash, signedAt, keyId, signature } });

export const linkLine = (link: SealedLink): string => canonicalJson(membersOf(link));

function membersOf(link: SealedLink): JsonObject {
  const { revision, hash, previousHash } = link.chain;
  const chain = { revision, hash, previousHash };
  return 'contentHash' in link ? { chain, contentHash: link.contentHash } : { chain, event: contentOf(link) };
}

/**
 * The members that a line of an audit stream has beside those of an export, for those who read it without proving it.
 */
interface StreamMembers {
  readonly action: string;
  readonly actor: { readonly type: string; readonly id: string };
  readonly target: { readonly type: string; readonly id: string | null };
}

export const streamLine = (link: SealedLink, { action, actor, target }: StreamMembers): string =>
  canonicalJson({ ...membersOf(link), action, actor: { ...actor }, target: { ...target } });

/** Undefined for a line of an event that is not written as an audit stream writes it. */
export function readStreamLine(
  line: string,
): { readonly link: ChainedEvent & SealedLink; readonly said: JsonObject } | undefined {
  const { action, actor, target, ...members } = objectIn(line);
  const link = readLinkLine(canonicalJson(members));
  if (!link || 'contentHash' in link || !isObject(actor) || !isObject(target)) return undefined;
  const said: JsonObject = { action, actor, target };
  return canonicalJson({ ...membersOf(link), ...said }) === line ? { link, said } : undefined;
}

/** Undefined for a line that is no first line of an export. */
export function readHeadLine(line: string): SignedHead | undefined {
  const { head } = objectIn(line);
  return isSignedHead(head) && headLine(head) === line ? head : undefined;
}

/** Undefined for a line that is not written as an export writes it. */
export function readLinkLine(line: string): SealedLink | undefined {
  const { chain, event, contentHash }: Readonly<Record<string, unknown>> = objectIn(line);
  if (!isChainPlace(chain)) return undefined;
  const link = typeof contentHash === 'string' ? { contentHash, chain } : isEvent(event) && { ...event, chain };
  return link && linkLine(link) === line ? link : undefined;
}

const isSignedHead = (head: unknown): head is SignedHead =>
  isObject(head) &&
  hasTexts(head, ['organization', 'hash', 'signedAt', 'keyId', 'signature']) &&
  isPlaceNumber(head.revision);

const isChainPlace = (chain: unknown): chain is ChainPlace =>
  isObject(chain) && hasTexts(chain, ['hash', 'previousHash']) && isPlaceNumber(chain.revision);

const isEvent = (event: unknown): event is ChainedEvent =>
  isObject(event) &&
  hasTexts(event, ['id', 'type', 'stream']) &&
  isPlaceNumber(event.revision) &&
  isObject(event.data) &&
  isObject(event.metadata) &&
  hasTexts(event.metadata, Object.keys(event.metadata)) &&
  (event.sealed === undefined || typeof event.sealed === 'string');

function contentOf({ id, type, data, sealed, metadata, stream, revision }: ChainedEvent) {
  return { id, type, data, ...(sealed === undefined ? {} : { sealed }), metadata, stream, revision };
}

function objectIn(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasTexts = (of: JsonObject, names: readonly string[]): boolean =>
  names.every((name) => typeof of[name] === 'string');

const isPlaceNumber = (value: Json | undefined): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const PAGE = 200;
const SEALED_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 100;

/**
 * The text of an export up to a signed head, page by page. Events that are not wanted are left out, except early ones,
 * whose hash cannot be computed without them.
 */
export async function* exportText(
  store: Pick<EventStore, 'readBack'>,
  head: SignedHead,
  isWanted: (event: HistoryEntry) => boolean = () => true,
): AsyncGenerator<string, void> {
  yield `${headLine(head)}\n`;
  for await (const page of historyPages(store, head.organization, PAGE)) {
    const lines = page.flatMap((entry) => {
      const { chain } = entry;
      if (!chain || chain.revision > head.revision) return []; // came after the head was signed
      return `${linkLine((!isWanted(entry) && leaveOut(entry)) || { ...entry, chain })}\n`;
    });
    if (lines.length > 0) yield lines.join('');
  }
}

/** Waits for the event of a command to have its place, which takes EventStoreDB about a second, but not for ever; answers the place. */
export async function untilChained(
  store: Pick<EventStore, 'readBack'>,
  organization: string,
  commandId: string,
): Promise<number | undefined> {
  const find = async () => {
    const page = await store.readBack({ organization, limit: PAGE });
    return page.find(({ chain, metadata }) => chain !== null && metadata.command === commandId)?.chain?.revision;
  };
  return untilDefined(find);
}

/** Waits for a signed head at or above a place, which takes about a second, but not for ever. */
export async function untilSigned(
  signer: Pick<HeadSigner, 'signedHead'>,
  organization: string,
  revision = 0,
): Promise<void> {
  await untilDefined(async () => {
    const head = await signer.signedHead(organization);
    return head && head.revision >= revision ? head : undefined;
  });
}

async function untilDefined<T>(find: () => Promise<T | undefined>): Promise<T | undefined> {
  const until = performance.now() + SEALED_WITHIN_MS;
  for (;;) {
    const found = await find();
    if (found !== undefined || performance.now() > until) return found;
    await setTimeout(LOOK_AGAIN_MS);
  }
}
