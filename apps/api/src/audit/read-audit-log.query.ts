import { Inject, Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { AuditFilter } from '@ledgerline/contracts/events/audit-log.events';
import type { Caller } from '@ledgerline/domain/access/caller';
import { type AuditChanges, audited, auditedActor } from '@ledgerline/domain/audit/audited-events';
import { omit } from '@ledgerline/domain/decider';
import { proofOf } from '@ledgerline/platform/event-store/appended-events';
import {
  type EventMetadata,
  type EventStore,
  type HistoryEntry,
  type RecordedEvent,
  asDecided,
  occurredAt,
  historyPages,
} from '@ledgerline/platform/event-store/event-store';
import { type Cursor, EpochChanged } from '@ledgerline/platform/log/log-reader';
import {
  type PersonalData,
  type PersonalDataBySubject,
  PersonalDataCipher,
} from '@ledgerline/platform/personal-data/personal-data-cipher';
import { invalid } from '../http/problems';
import type { PlainData } from '../http/record.dto';
import { assertMay } from '../http/route';
import { EVENT_STORE } from '../tokens';
import type { AuditEntryDto, AuditPageDto, ListAuditLogDto } from './audit-log.dto';
import { AuditVerification } from './verify-audit-log.query';

/** Events as the entries that people read. */
@Injectable()
export class AuditEntries {
  constructor(
    private readonly cipher: PersonalDataCipher,
    private readonly verification: AuditVerification,
  ) {}

  async of(organizationId: string, events: readonly HistoryEntry[]): Promise<PlainData<AuditEntryDto>[]> {
    const [opened, unproven] = await Promise.all([
      this.cipher.open(events),
      this.verification.unprovenFrom(organizationId),
    ]);
    return events.map((event) => {
      const entry = auditEntry(event, opened.get(event.id) ?? new Map());
      return entry.proof === 'sealed' && (entry.position ?? -1) >= unproven ? { ...entry, proof: 'unproven' } : entry;
    });
  }
}

function auditEntry(event: HistoryEntry, people: PersonalDataBySubject): PlainData<AuditEntryDto> {
  const { id, metadata, type, stream } = event;
  const { action, target, changes } = audited(event, asDecided(event));
  const subject = people.get(target.id ?? '');
  const actor = auditedActor(metadata);
  const personal = { ...UNKNOWN_PERSON, ...people.get(actor.id) };
  const { revision, hash } = event.chain ?? NOT_CHAINED;
  return {
    id,
    position: revision,
    action,
    occurredAt: occurredAt(event),
    recordedAt: event.recordedAt.toISOString(),
    actor: { ...actor, name: metadata.actorName ?? personal.name },
    target: { ...target, name: target.name ?? nameIn(subject) },
    changes: target.type === 'invitation' && subject ? { email: invited(subject), ...changes } : changes,
    metadata: { eventType: type, stream, ...omit(metadata, ...SHOWN_ELSEWHERE) },
    requestId: metadata.requestId ?? null,
    ip: personal.ip,
    userAgent: personal.userAgent,
    correlationId: metadata.correlation ?? null,
    hash,
    proof: proofOf(event),
  };
}

const nameIn = (subject: PersonalData | undefined): string | null => subject?.name ?? subject?.email ?? null;

const UNKNOWN_PERSON = { name: null, ip: null, userAgent: null };
const NOT_CHAINED = { revision: null, hash: null };

/** The address is in the sealed part; that it was erased differs from its absence in early events. */
const invited = ({ email, erased }: PersonalData): AuditChanges[string] => ({
  before: null,
  after: erased ? 'erased' : (email ?? null),
});

const SHOWN_ELSEWHERE = [
  'actor',
  'actorType',
  'actorName',
  'organization',
  'occurredAt',
  'requestId',
  'correlation',
] as const satisfies readonly (keyof EventMetadata)[];

/** Returns whether an event is one that a filter asks for. */
export function matchesAuditFilter(event: RecordedEvent, filter: AuditFilter): boolean {
  const { action, target } = audited(event, asDecided(event));
  const time = occurredAt(event);
  return (
    isOr(filter.action, action) &&
    isOr(filter.actorId, event.metadata.actor) &&
    isOr(filter.targetType, target.type) &&
    isOr(filter.targetId, target.id) &&
    (filter.from === undefined || time >= filter.from) &&
    (filter.to === undefined || time < filter.to)
  );
}

/**
 * Returns whether events older than these can be left unread: a whole page lies before `from`. One event is not enough,
 * as clocks differ a little, and the time of an old event is not part of its hash.
 */
export const isBefore = (page: readonly RecordedEvent[], { from }: AuditFilter): boolean =>
  from !== undefined && page.every((event) => occurredAt(event) < from);

/** Only the conditions of a request. @throws Problem VALIDATION_ERROR for times that no event can lie between */
export function filterOf({ action, actorId, targetType, targetId, from, to }: AuditFilter): AuditFilter {
  if (from !== undefined && to !== undefined && to < from)
    throw invalid([{ field: 'to', message: 'Must not lie before from.' }]);
  const conditions = Object.entries({ action, actorId, targetType, targetId, from, to });
  return Object.fromEntries(conditions.filter(([, value]) => value !== undefined));
}

const isOr = (wanted: string | undefined, value: string | null | undefined): boolean =>
  wanted === undefined || wanted === value;

export class ReadAuditLog extends Query<PlainData<AuditPageDto>> {
  constructor(
    readonly wanted: PlainData<ListAuditLogDto>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(ReadAuditLog)
export class ReadAuditLogHandler implements IQueryHandler<ReadAuditLog> {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly entries: AuditEntries,
  ) {}

  async execute({ wanted, caller }: ReadAuditLog): Promise<PlainData<AuditPageDto>> {
    const { organizationId, cursor, limit } = wanted;
    assertMay(caller, 'audit:read', { organizationId });
    const before = readAuditCursor(organizationId, cursor);
    const request = { organizationId, filter: filterOf(wanted), before, limit };
    const { events, next } = await auditPage(this.store, request).catch(orInvalidCursor);
    const nextCursor = next === null ? null : cursorText(organizationId, next);
    return { success: true, data: await this.entries.of(organizationId, events), hasMore: next !== null, nextCursor };
  }
}

interface AuditPageRequest {
  readonly organizationId: string;
  readonly filter: AuditFilter;
  /** Only events before this one; undefined = from the newest. */
  readonly before: Cursor | undefined;
  readonly limit: number;
}

export interface AuditEventPage {
  readonly events: readonly HistoryEntry[];
  /** Where the next page goes on; null when nothing older matches. */
  readonly next: Cursor | null;
}

const PAGE = 500;
/**
 * The number of events one request looks at, however few match; then the page is short, or empty, and another follows.
 */
export const MAX_LOOKED_AT = 10_000;

/** One page of what matches, newest first. */
export async function auditPage(
  store: Pick<EventStore, 'readBack'>,
  request: AuditPageRequest,
): Promise<AuditEventPage> {
  const { organizationId, filter, before, limit } = request;
  const size = Object.keys(filter).length === 0 ? limit + 1 : PAGE;
  const events: HistoryEntry[] = [];
  let lookedAt = 0;
  for await (const page of historyPages(store, organizationId, size, before)) {
    for (const event of page) {
      if (!matchesAuditFilter(event, filter)) continue;
      if (events.length === limit) return { events, next: lastCursor(events) };
      events.push(event);
    }
    if (isBefore(page, filter)) break;
    lookedAt += page.length;
    if (lookedAt >= MAX_LOOKED_AT) return { events, next: lastCursor(page) };
  }
  return { events, next: null };
}

const lastCursor = (events: readonly HistoryEntry[]): Cursor | null => events.at(-1)?.cursor ?? null;

const SHAPE = /^(?<organization>\w{1,64}) (?<place>[!-~]{1,200})$/;

/** A place in an organization's history, as one opaque word. */
export const cursorText = (organizationId: string, place: Cursor): string =>
  Buffer.from(`${organizationId} ${place}`, 'utf8').toString('base64url');

/** @throws Problem VALIDATION_ERROR for what is no cursor of this organization's audit log */
export function readAuditCursor(organizationId: string, cursor: string | undefined): Cursor | undefined {
  if (cursor === undefined) return undefined;
  const { organization, place } = SHAPE.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.groups ?? {};
  if (organization === organizationId && place !== undefined && cursorText(organization, place) === cursor)
    return place;
  throw invalidCursor();
}

/**
 * Makes the failure of a read from a cursor that of the cursor, which only the event store can judge. @throws Problem
 * VALIDATION_ERROR
 */
export function orInvalidCursor(error: unknown): never {
  throw error instanceof EpochChanged ? invalidCursor() : error;
}

const invalidCursor = () =>
  invalid([{ field: 'cursor', message: 'Must be the nextCursor of a page of this audit log.' }]);
