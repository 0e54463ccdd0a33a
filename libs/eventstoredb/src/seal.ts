import type { KeyObject } from 'node:crypto';
import type { ResolvedEvent } from '@eventstore/db-client';
import { isObject } from '@ledgerline/contracts/json';
import type { ChainHead, ChainPlace, Hash, SealedHead } from '@ledgerline/platform/event-store/event-store';
import { signContent, signHead } from '@ledgerline/platform/event-store/head-statement';
import { BEGINNING } from '@ledgerline/platform/log/log-reader';
import { isCursor } from './position';

/** The content of a seal: these events, in this order, are the next ones of an organization's chain. */
type SealContent = {
  /** Absent in the first seals, of which the head alone is signed. */
  readonly version?: number;
  readonly organization: string;
  /** Revision in the chain of the first event sealed here. */
  readonly from: number;
  /** Hash of the place before it. */
  readonly previousHash: Hash;
  /** Event id and hash, in order; at least one. */
  readonly places: readonly (readonly [id: string, hash: Hash])[];
  /** Cursor of the last event sealed here. */
  readonly cursor: string;
  /** In earlier seals, from where the sealer read on; statements say so now. */
  readonly resume?: string;
  /** Revision, in the stream of seals, of the first one that counts, where those before it were replaced; else 0. */
  readonly begin?: number;
};

export interface Seal extends SealContent {
  /** The signature of the head; see head-statement.ts. The first seals had neither the time nor the id of the key. */
  readonly signature: string;
  readonly signedAt?: string;
  readonly keyId?: string;
  /** The signature of the content, `signedAt` and `keyId`; see `signContent`. */
  readonly contentSignature?: string;
}

export const SEAL_TYPE = 'ChainSealed';
export const MAX_PLACES = 100;
const VERSION = 2;

/** A seal and where it lies in its organization's stream of seals. */
export interface StoredSeal {
  readonly seal: Seal;
  readonly revision: bigint;
}

/** The newest event in a stream of seals; without a seal where something else wrote it. */
export interface StreamTail {
  readonly revision: bigint;
  readonly seal?: Seal;
}

export function signSeal(key: KeyObject, stated: SealContent, at: Date): Seal {
  const content = { version: VERSION, ...stated };
  const { signature: contentSignature, ...signed } = signContent(key, content, at);
  const { signature } = signHead(key, content.organization, headOf(content), at);
  return { ...signed, signature, contentSignature };
}

/** The members of a seal, as the product or another client wrote it. */
type Written = { readonly [Name in keyof Seal]?: unknown };

/** Undefined for what is no seal. A missing signature counts as a wrong one, so that its removal is reported. */
export function toSeal({ event }: ResolvedEvent): StoredSeal | undefined {
  if (event?.type !== SEAL_TYPE) return undefined;
  const written: unknown = event.data;
  if (!isObject(written) || !isComplete(written)) return undefined;
  const known = NAMES.flatMap((name) => (written[name] === undefined ? [] : [[name, written[name]] as const]));
  const signatures = Object.fromEntries(
    (['signature', 'contentSignature'] as const)
      .filter((name) => name === 'signature' || written.version !== undefined)
      .map((name) => [name, isText(written[name]) ? written[name] : '']),
  );
  return { seal: { ...Object.fromEntries(known), ...signatures } as unknown as Seal, revision: event.revision }; // isComplete
}

const NAMES = [
  'version',
  'organization',
  'from',
  'previousHash',
  'places',
  'cursor',
  'resume',
  'begin',
  'signedAt',
  'keyId',
] as const;

const isComplete = ({ version = VERSION, from, begin = 0, places, ...written }: Written): boolean =>
  version === VERSION &&
  [from, begin].every((revision) => Number.isSafeInteger(revision) && Number(revision) >= 0) &&
  Array.isArray(places) &&
  places.length > 0 &&
  places.every((place) => Array.isArray(place) && place.length === 2 && place.every(isText)) &&
  [written.organization, written.previousHash, written.signedAt ?? '', written.keyId ?? ''].every(isText) &&
  [written.cursor, written.resume ?? BEGINNING].every(isCursor);

const isText = (value: unknown): boolean => typeof value === 'string';

export function headOf({ from, places }: Pick<Seal, 'from' | 'places'>): ChainHead {
  const last = places.at(-1);
  if (!last) throw new Error('A seal covers at least one event.');
  return { revision: from + places.length - 1, hash: last[1] };
}

/** The head in which a seal ends, with all that it is signed with. */
export function sealedHeadOf({ signature, contentSignature, ...content }: Seal): SealedHead {
  const { signedAt, keyId } = content;
  const isDated = signedAt !== undefined && keyId !== undefined;
  const isWhole = content.version !== undefined;
  return {
    ...headOf(content),
    signature,
    ...(isDated ? { signedAt, keyId } : {}),
    ...(isWhole
      ? { statement: { ...content, signedAt: signedAt ?? '', keyId: keyId ?? '', signature: contentSignature ?? '' } }
      : {}),
  };
}

/** The places a seal proves, by event id. */
export function placesOf({ from, previousHash, places }: Seal): Map<string, ChainPlace> {
  return new Map(
    places.map(([id, hash], at) => [
      id,
      { revision: from + at, hash, previousHash: places[at - 1]?.[1] ?? previousHash },
    ]),
  );
}
