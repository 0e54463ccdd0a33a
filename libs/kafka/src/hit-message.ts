import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { isEventId } from '@ledgerline/contracts/events/event-id';
import { observedVersions } from '@ledgerline/contracts/events/event-versions';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { isObject, type JsonObject } from '@ledgerline/contracts/json';
import { type EncodedHit, encodeHit } from '@ledgerline/platform/intake-log/encoded-hit';
import { HitTooLarge, type IntakeItem, MAX_HIT_BYTES } from '@ledgerline/platform/intake-log/intake-log';

/**
 * A hit as a message: its JSON under the key of its website or link. A header says who sent it as which of his messages
 * for this partition, and how retries are recognised.
 */
export interface HitMessage {
  readonly key: string;
  readonly value: string;
  /** `tag`: proves that a tracker of this installation wrote the message; `traceparent`: of the request, where it is sampled. */
  readonly headers: { readonly hit: string; readonly tag: string; readonly traceparent?: string };
}

/** A message that was read from a topic. */
export interface ReadMessage {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly offset: string;
  /** When it came, epoch ms. */
  readonly timestamp: string;
}

/** A hit that was sent, by whom, and as which of his messages: sent again after an unknown outcome it has the same number. */
export interface SentHit {
  readonly hit: EncodedHit;
  /** Absent where the message has no tag that vouches for it. */
  readonly sent: { readonly sender: string; readonly number: number } | undefined;
}

/** The settings with which a topic is read. */
export interface TopicReading {
  readonly partition: number;
  /** The number of partitions of the intake log. */
  readonly partitions: number;
  readonly tags: MessageAuthenticator;
  /** False while the topic may hold messages of trackers that wrote no tags. */
  readonly requiresTags: boolean;
}

/** Why a message is no hit. */
export type MessageRefusal = (typeof REFUSALS)[number];
const REFUSALS = [
  'no header of a tracker',
  'no tag',
  'wrong tag',
  'no JSON',
  'no observed event',
  'too large',
  'another partition',
] as const;

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/;
const HEADER = /^([\w-]{1,32})\.(\d{1,15})\.(never|48h|forever)(?:\.([0-9a-f]{32}))?$/;

export function headerOf({ dedupe, batch }: IntakeItem, sender: string, number: number): string {
  const retries = batch === undefined ? dedupe : `${dedupe}.${batch}`;
  return `${sender}.${number}.${retries}`;
}

/** The JSON of an event, with the version of its data where that is not 1. @throws HitTooLarge */
export function hitMessageJson(event: ObservedEvent): string {
  const version = observedVersions.current(event.type);
  const value = JSON.stringify(version === 1 ? event : { ...event, version });
  if (value.length * BYTES_PER_CHARACTER > MAX_HIT_BYTES && Buffer.byteLength(value) > MAX_HIT_BYTES)
    throw new HitTooLarge(`${event.type} ${event.id} has ${Buffer.byteLength(value)} bytes of JSON`);
  return value;
}

/** In UTF-8. */
const BYTES_PER_CHARACTER = 3;

/** The hit of a message, or why it is none. */
export function readHitMessage(message: ReadMessage, reading: TopicReading): SentHit | MessageRefusal {
  const { partition, partitions } = reading;
  const header = headerIn(message);
  if (header === undefined || message.key === null) return 'no header of a tracker';
  if (message.value !== null && message.value.length > MAX_HIT_BYTES) return 'too large';
  const tagged = tagStateOf(message, reading);
  if (tagged === 'wrong tag' || (tagged === 'no tag' && reading.requiresTags)) return tagged;
  const event = parse(message.value);
  if (event === undefined) return 'no JSON';
  const current = isObserved(event) ? inCurrentVersion(event) : undefined;
  if (current === undefined) return 'no observed event';
  const { sender, number, dedupe, batch } = header;
  const item = { event: current, subject: message.key.toString(), dedupe, trace: traceOf(message) };
  const hit = encoded(batch === undefined ? item : { ...item, batch: ofPartition(batch, partition) }, partitions);
  if (typeof hit === 'string') return hit;
  if (hit.partition !== partition) return 'another partition';
  return { hit, sent: tagged === 'tagged' ? { sender, number: Number(number) } : undefined };
}

function headerIn({ headers = {} }: ReadMessage) {
  const [, sender, number, dedupe, batch] = HEADER.exec(textIn(headers['hit'])) ?? [];
  const kept = DEDUPE.find((each) => each === dedupe);
  return sender === undefined || kept === undefined ? undefined : { sender, number, dedupe: kept, batch };
}

const DEDUPE = ['never', '48h', 'forever'] as const satisfies readonly IntakeItem['dedupe'][];

const textIn = (header: unknown): string => (Buffer.isBuffer(header) ? header.toString() : '');

function tagStateOf(
  { key, value, headers }: ReadMessage,
  { partition, tags }: TopicReading,
): 'tagged' | 'no tag' | 'wrong tag' {
  const { hit, tag, traceparent } = headers ?? {};
  if (tag === undefined) return 'no tag';
  if (!Buffer.isBuffer(tag)) return 'wrong tag';
  const parts = {
    partition,
    key: String(key),
    hit: String(hit),
    traceparent: Buffer.isBuffer(traceparent) ? traceparent.toString() : undefined,
    value: value ?? EMPTY,
  };
  return tags.isValid(tag, parts) ? 'tagged' : 'wrong tag';
}

function traceOf({ headers }: ReadMessage): string | undefined {
  const text = textIn(headers?.['traceparent']);
  return TRACEPARENT.test(text) ? text : undefined;
}

/** JSON can be longer when it is written again, and can be nested too deeply for that. */
function encoded(item: IntakeItem, partitions: number): EncodedHit | MessageRefusal {
  try {
    return encodeHit(item, partitions);
  } catch (error) {
    if (error instanceof HitTooLarge) return 'too large';
    if (error instanceof RangeError) return 'no observed event';
    throw error;
  }
}

/**
 * A batch's id is recorded with its first hits that are copied. Those of another partition are copied by themselves, so
 * they need another id.
 */
const ofPartition = (batch: string, partition: number): string =>
  hash('sha256', `${batch}:${partition}`, 'hex').slice(0, 32);

function parse(value: Buffer | null): unknown {
  try {
    return value === null ? undefined : JSON.parse(value.toString());
  } catch {
    return undefined;
  }
}

/**
 * The types of events that come as messages: checks, decisions and reports are written to the segments. A new type that
 * is not listed does not compile.
 */
const IS_SENT: Readonly<Record<ObservedEvent['type'], boolean>> = {
  PageViewed: true,
  PageLeft: true,
  CustomEventTracked: true,
  OutgoingLinkClicked: true,
  LinkClicked: true,
  VitalMeasured: true,
  ErrorRecorded: true,
  EngagementMeasured: true,
  VisitorIdentified: true,
  HitJudgedBot: true,
  MonitorChecked: false,
  ReportReady: false,
  AlertDecided: false,
};
const TYPES: ReadonlySet<unknown> = new Set(
  Object.entries(IS_SENT).flatMap(([type, isSent]) => (isSent ? [type] : [])),
);

/**
 * Returns whether a value looks like an event; what a tracker wrote is not checked further than a mistaken writer may
 * get.
 */
function isObserved(value: unknown): value is ObservedEvent {
  if (!isObject(value)) return false;
  const { type, id, at, receivedAt, data } = value;
  const isNamed = TYPES.has(type) && typeof id === 'string' && isEventId(id);
  return isNamed && isTime(at) && isTime(receivedAt) && isObject(data);
}

/** Undefined for a version that this program does not know. */
function inCurrentVersion({ version = 1, ...event }: ObservedEvent & { version?: unknown }): ObservedEvent | undefined {
  const upcast = observedVersions.upcaster(event.type, Number(version));
  return upcast && ({ ...event, data: upcast(event.data as unknown as JsonObject) } as unknown as ObservedEvent);
}

const isTime = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(Math.trunc(value));

/** By which a message is recognised when it is read again. */
export const digestOf = ({ key, value, timestamp }: ReadMessage): Buffer =>
  hash('sha256', Buffer.concat([key ?? EMPTY, Buffer.from(`\n${timestamp}\n`), value ?? EMPTY]), 'buffer');

const EMPTY = Buffer.alloc(0);

/** The parts that a tag vouches for, beside the topic. */
interface TaggedParts {
  readonly partition: number;
  readonly key: string;
  /** The header that names sender, number and how retries are recognised. */
  readonly hit: string;
  readonly traceparent: string | undefined;
  readonly value: string | Buffer;
}

const KEY_BYTES = 32;
const TAG_BYTES = 16;

/**
 * Keyed hashes by which a copier recognises messages that trackers of its installation wrote. Without them, whoever may
 * write to the topic could number messages as a tracker does, whose own would then be taken for repeats.
 */
export class MessageAuthenticator {
  private readonly key: KeyObject;

  /** The secret is one that all processes of the installation have; the key is of this use alone. */
  constructor(
    secret: string,
    private readonly topic: string,
  ) {
    const key = hkdfSync('sha256', secret, '', 'ledgerline kafka messages', KEY_BYTES);
    this.key = createSecretKey(new Uint8Array(key));
  }

  tagOf(parts: TaggedParts): string {
    return this.digest(parts).toString('base64url');
  }

  isValid(tag: Buffer, parts: TaggedParts): boolean {
    const found = Buffer.from(tag.toString(), 'base64url');
    return found.length === TAG_BYTES && timingSafeEqual(found, this.digest(parts));
  }

  private digest({ partition, key, hit, traceparent, value }: TaggedParts): Buffer {
    const framed = JSON.stringify([this.topic, partition, key, hit, traceparent ?? null]);
    return createHmac('sha256', this.key).update(`${framed}\n`).update(value).digest().subarray(0, TAG_BYTES);
  }
}
