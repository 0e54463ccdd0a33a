import { COARSE, SPANS } from '@ledgerline/contracts/read-models/blocks';
import { HIT, sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import type { Arrival } from '@ledgerline/domain/sessions/add-hits';
import { calendarOf } from '@ledgerline/domain/sessions/calendar';
import { GAMMA } from '@ledgerline/domain/sessions/duration-bins';
import { RANGE_STARTS } from '@ledgerline/domain/sessions/duration-ranges';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { Pool } from 'pg';
import type { Compute, ProjectionGroup } from '../projection-group';
import { customEventsProjection } from './custom-events.projection';
import { HrefDomains } from './href-domains';
import { HIT_TYPES, isWebsiteEvent, readHit, wordsOf, type WebsiteEvent } from './read-hit';
import { ROLLUPS } from './rollups';
import { unitKeyOf } from './session-rows';
import { changesOf } from './changes-of';
import type { Visit } from './visit';
import { Words, type Dictionary } from './words';

/** Everything that is known about websites, all of it derived from sessions. */
export class WebsitesGroup implements ProjectionGroup<LoggedHit> {
  readonly name = 'websites';
  readonly builds = [sessionsModel, ...ROLLUPS.map(({ builds }) => builds), customEventsProjection.builds];
  readonly meaning = [1, COARSE, GAMMA, ...SPANS, ...RANGE_STARTS];
  readonly types = HIT_TYPES;
  private readonly words: Words;
  private readonly domains: HrefDomains;

  constructor(pool: Pool) {
    this.words = new Words(pool);
    this.domains = new HrefDomains(this.words);
  }

  cursorOf({ offset }: LoggedHit): string {
    return String(offset);
  }

  loggedAt({ event }: LoggedHit): number {
    return event.receivedAt;
  }

  async prepare(logged: readonly LoggedHit[]): Promise<Compute> {
    const events = logged.map(({ event }) => event).filter(isWebsiteEvent);
    const read = await this.read(events);
    const visits = new Map<string, Visit>();
    const customEvents: Row[] = [];
    for (const [at, event] of events.entries()) {
      const entry = read[at];
      if (!entry) continue;
      collect(visits, entry, event);
      if (event.type === 'CustomEventTracked') {
        customEvents.push(customEventsProjection.rowOf(entry.website, event, entry.arrival.hit));
      }
    }
    const batch = { visits, customEvents, domains: this.domains };
    return (on, schema, unwritten) => changesOf(on, schema, batch, unwritten);
  }

  distrust(): void {
    this.words.forget(true);
    this.domains.forget();
  }

  /** Reads the events with all of their words; those with words nobody has seen yet are read again once they are learnt. */
  private async read(events: readonly WebsiteEvent[]): Promise<ReadEvent[]> {
    const dictionary = this.words.dictionary();
    const read: ReadEvent[] = [];
    let waiting = [...events.keys()];
    while (waiting.length > 0) {
      const again: number[] = [];
      for (const at of waiting) {
        const before = dictionary.misses;
        const event = events[at];
        if (event) read[at] = this.readOne(event, dictionary);
        if (dictionary.misses > before) again.push(at);
      }
      if (again.length > 0) await dictionary.learn();
      waiting = again;
    }
    return read;
  }

  private readOne(event: WebsiteEvent, dictionary: Dictionary): ReadEvent {
    const words = wordsOf(dictionary, event.data.websiteId);
    const arrival = readHit(event, words);
    if (arrival.hit.kind === HIT.outgoing && event.type === 'OutgoingLinkClicked') {
      this.domains.note(arrival.hit.word, event.data.href, words);
    }
    return { website: words.website, arrival };
  }
}

interface ReadEvent {
  readonly website: number;
  readonly arrival: Arrival;
}

function collect(visits: Map<string, Visit>, { website, arrival }: ReadEvent, { data }: WebsiteEvent): void {
  const unit = data.visitorId ?? data.sessionId ?? arrival.hit.id;
  const key = unitKeyOf({ website, unit });
  const known = visits.get(key);
  if (known) known.arrivals.push(arrival);
  else
    visits.set(key, { website, unit, visitor: data.visitorId, calendar: calendarOf(data.zone), arrivals: [arrival] });
}
