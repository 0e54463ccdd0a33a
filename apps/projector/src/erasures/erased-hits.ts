import type {
  ObservedEvent,
  VisitorIdentified,
  WebsiteObservedEvent,
} from '@ledgerline/contracts/events/observed-events';
import type { Group } from '@ledgerline/contracts/read-models/registry';
import { type LoggedHit, cursorOf, partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, type Cursor, type LogReader } from '@ledgerline/platform/log/log-reader';
import { isWebsiteEvent } from '../projections/websites/read-hit';

/** A profile whose visitors are erased. */
export interface ErasedVisits {
  readonly erasureId: string;
  readonly websiteId: string;
  /** The profile's name in the log, 32 hex digits. */
  readonly profile: string;
  /** Epoch ms: what was received later stays. */
  readonly until: number;
}

/** A hit that no table may have. */
export interface ErasedHit {
  readonly partition: number;
  /** The website or link. */
  readonly subject: string;
  readonly cursor: Cursor;
}

type Log = Pick<LogReader<LoggedHit>, 'read' | 'partitions'>;

/** What the tables of a group lack once visits are erased. */
export const ERASED_HITS: Readonly<
  Partial<Record<Group, (log: Log, erased: readonly ErasedVisits[]) => Promise<readonly ErasedHit[]>>>
> = { websites: findVisits, links: findClicks };

/** Hits of the visitors, or of the sessions without a visitor, that were ever identified as one of the profiles. */
async function findVisits(log: Log, erased: readonly ErasedVisits[]): Promise<readonly ErasedHit[]> {
  const hits: ErasedHit[] = [];
  for await (const { event, partition, offset } of hitsOfVisitors(log, erased))
    hits.push({ partition, subject: event.data.websiteId ?? '', cursor: cursorOf(offset) });
  return hits;
}

/** The clicks on short links that led to these visits. */
async function findClicks(log: Log, erased: readonly ErasedVisits[]): Promise<readonly ErasedHit[]> {
  const links = new Map<string, string>();
  for await (const { event } of hitsOfVisitors(log, erased))
    if (event.type === 'PageViewed' && event.data.click) links.set(event.data.click.id, event.data.click.linkId);
  const hits: ErasedHit[] = [];
  for (const partition of await partitionsOf(log, links.values())) {
    for await (const { event, offset } of readAll(log, partition, ['LinkClicked']))
      if (event.type === 'LinkClicked' && links.get(event.id) === event.data.linkId)
        hits.push({ partition, subject: event.data.linkId, cursor: cursorOf(offset) });
  }
  return hits;
}

type VisitorEvent = WebsiteObservedEvent | VisitorIdentified;
type VisitorHit = LoggedHit & { readonly event: VisitorEvent };

const isOfVisitor = (event: ObservedEvent): event is VisitorEvent =>
  event.type === 'VisitorIdentified' || isWebsiteEvent(event);

async function* hitsOfVisitors(log: Log, erased: readonly ErasedVisits[]): AsyncGenerator<VisitorHit> {
  const websites = erased.map(({ websiteId }) => websiteId);
  for (const partition of await partitionsOf(log, websites)) {
    const visitors = await identifiedIn(log, partition, erased);
    if (visitors.size === 0) continue;
    for await (const hit of readAll(log, partition)) {
      const { event } = hit;
      if (isOfVisitor(event) && event.receivedAt <= (visitors.get(visitorOf(event)) ?? -1)) yield { ...hit, event };
    }
  }
}

/** Who was identified as one of the profiles before it was erased, and when the last of them was erased. */
async function identifiedIn(log: Log, partition: number, erased: readonly ErasedVisits[]) {
  const profiles = new Map<string, number>();
  for (const { websiteId, profile, until } of erased)
    profiles.set(`${websiteId} ${profile}`, Math.max(until, profiles.get(`${websiteId} ${profile}`) ?? 0));
  const visitors = new Map<string, number>();
  for await (const { event } of readAll(log, partition, ['VisitorIdentified'])) {
    if (event.type !== 'VisitorIdentified') continue;
    const until = profiles.get(`${event.data.websiteId} ${event.data.subject}`);
    if (until === undefined || event.receivedAt > until) continue;
    visitors.set(visitorOf(event), Math.max(until, visitors.get(visitorOf(event)) ?? 0));
  }
  return visitors;
}

/** Whose event it is: of a visitor, of a session without one, or an event of its own. */
const visitorOf = ({ id, data: { websiteId, visitorId, sessionId } }: VisitorEvent): string =>
  `${websiteId} ${visitorId ?? sessionId ?? id}`;

async function partitionsOf(log: Log, subjects: Iterable<string>): Promise<ReadonlySet<number>> {
  const partitions = await log.partitions();
  return new Set([...subjects].map((subject) => partitionOf(subject, partitions)));
}

/** Events of one read. */
const READ = 5_000;

async function* readAll(log: Log, partition: number, types?: readonly string[]): AsyncGenerator<LoggedHit> {
  for (let cursor = BEGINNING; ;) {
    const { events, next, atHead } = await log.read(partition, cursor, { max: READ, ...(types && { types }) });
    yield* events;
    if (atHead) return;
    cursor = next;
  }
}
