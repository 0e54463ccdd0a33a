import type { LinkClicked, ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { GoalHit } from '../goals/reached-goal';

/** One click, or one event that reached a goal, as a message shows it: nothing of who it was. */
interface BatchItem {
  /** ISO 8601. */
  readonly at: string;
  readonly country: string | null;
  readonly device: string;
  readonly browser: string | null;
  readonly os: string | null;
  /** Host and path of the page that a clicked link was on. */
  readonly referrer?: string | null;
  /** The path where a goal was reached. */
  readonly path?: string | null;
}

/** Clicks of a link, or events that reached a goal, of which one message is made. */
export interface OpenBatch {
  /** The first of them. */
  readonly eventId: string;
  readonly organizationId: string;
  /** When the first one was received, epoch ms. */
  readonly receivedAt: number;
  readonly position: MessagePosition;
  readonly count: number;
  readonly items: readonly BatchItem[];
  /** The size of the items as JSON. */
  readonly bytes: number;
}

/** In the intake log. */
export interface MessagePosition {
  readonly partition: number;
  readonly offset: number;
}

/** A batch is sent so long after its first event, ms. */
export const BATCH_MS = 10_000;
const MAX_ITEMS = 100;
const MAX_BYTES = 20_000;

/** More than so long before they were received things did not just happen: they are imported, or sent again. */
const MAX_AGE_MS = 86_400_000;

export const isFresh = ({ at, receivedAt }: Pick<ObservedEvent, 'at' | 'receivedAt'>): boolean =>
  receivedAt - at <= MAX_AGE_MS;

/** Adds a hit to a batch; one that does not fit any more is only counted. */
export function addToBatch(
  batch: OpenBatch | undefined,
  hit: LinkClicked | GoalHit,
  position: MessagePosition,
): OpenBatch {
  const open = batch ?? {
    eventId: hit.id,
    organizationId: hit.data.organizationId,
    receivedAt: hit.receivedAt,
    position,
    count: 0,
    items: [],
    bytes: 0,
  };
  const item = itemOf(hit);
  const bytes = open.bytes + Buffer.byteLength(JSON.stringify(item)) + 1;
  const counted = { ...open, count: open.count + 1 };
  return open.items.length === MAX_ITEMS || bytes > MAX_BYTES
    ? counted
    : { ...counted, items: [...open.items, item], bytes };
}

function itemOf({ type, at, data }: LinkClicked | GoalHit): BatchItem {
  const { country, device, browser, os } = data;
  const item = { at: new Date(at).toISOString(), country, device, browser, os };
  if (type === 'LinkClicked') {
    const { referrer } = data;
    return { ...item, referrer: referrer && `${referrer.host}${referrer.path}` };
  }
  return { ...item, path: data.path };
}
