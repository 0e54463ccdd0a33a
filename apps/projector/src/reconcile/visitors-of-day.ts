import type { Calendar } from '@ledgerline/domain/sessions/calendar';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { singleEventId } from '@ledgerline/domain/sessions/add-hits';
import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import { isWebsiteEvent, type WebsiteEvent } from '../projections/websites/read-hit';
import { eventsBetween, type LogPart } from './log-counts';

/** The days of one website whose visitors are looked for. */
export interface VisitorsWanted {
  readonly websiteId: string;
  readonly day: number;
  /** The instants at which the day begins and ends. */
  readonly begin: number;
  readonly end: number;
  readonly calendar: Calendar;
}

/** Everything that the log has of the visitors of one day, at any time; read twice, as it has no index. */
export class VisitorsOfDay {
  readonly events: WebsiteEvent[] = [];
  private upTo: Cursor = BEGINNING;

  private constructor(
    private readonly part: LogPart,
    private readonly wanted: VisitorsWanted,
    /** Visitors, or what stands for them. */
    readonly actors: Set<string>,
  ) {}

  /** Up to a cursor; `actors` are visitors of the day beyond those that the log has. */
  static async read(
    part: LogPart,
    wanted: VisitorsWanted,
    upTo: Cursor,
    actors: Iterable<string>,
  ): Promise<VisitorsOfDay> {
    const visitors = new VisitorsOfDay(part, wanted, new Set(actors));
    for await (const event of visitors.ofWebsite(BEGINNING, upTo)) {
      if (visitors.isOfDay(event)) visitors.actors.add(actorOf(event));
    }
    for await (const event of visitors.ofWebsite(BEGINNING, upTo)) visitors.take(event);
    visitors.upTo = upTo;
    return visitors;
  }

  /** Reads on up to a cursor. False where a visitor is among the new ones whose earlier events were not read. */
  async readOn(upTo: Cursor): Promise<boolean> {
    for await (const event of this.ofWebsite(this.upTo, upTo)) {
      if (this.isOfDay(event) && !this.actors.has(actorOf(event))) return false;
      this.take(event);
    }
    this.upTo = upTo;
    return true;
  }

  private take(event: WebsiteEvent): void {
    if (this.actors.has(actorOf(event))) this.events.push(event);
  }

  private isOfDay({ at }: WebsiteEvent): boolean {
    const { begin, end, calendar, day } = this.wanted;
    return (at >= begin && at < end) || calendar.day(at) === day;
  }

  private async *ofWebsite(after: Cursor, upTo: Cursor): AsyncGenerator<WebsiteEvent> {
    for await (const [events] of eventsBetween(this.part, after, upTo)) yield* this.own(events);
  }

  private *own(events: readonly LoggedHit[]): Iterable<WebsiteEvent> {
    for (const { event } of events) {
      if (isWebsiteEvent(event) && event.data.websiteId === this.wanted.websiteId) yield event;
    }
  }
}

function actorOf({ id, at, data: { visitorId, sessionId } }: WebsiteEvent): string {
  return visitorId ?? sessionId ?? singleEventId({ id: decodeEventId(id).toString('hex'), at });
}
