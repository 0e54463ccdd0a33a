import type { Pool } from 'pg';
import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type {
  ObservedEvent,
  VisitorIdentified,
  WebsiteObservedEvent,
} from '@ledgerline/contracts/events/observed-events';
import { GROUP_TABLES } from '@ledgerline/contracts/group-tables';
import { profileTraits, visitorProfiles } from '@ledgerline/contracts/read-models/profiles';
import { FoldedRows } from '@ledgerline/platform/database/read-model-rows';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { describeHit, type ChangeComputation, type EventDescription, type ProjectionGroup } from '../projection-group';
import { computeChanges } from './batch-changes';
import { Dictionary, type StringInterner } from './dictionary';
import { HrefDomains } from './href-domains';
import { HIT_TYPES, addToVisitorHits, isWebsiteEvent, readHit, type VisitorHits } from './read-hit';

/** Sessions, and everything that is derived from them. */
export class WebsitesGroup implements ProjectionGroup<LoggedHit> {
  readonly name = 'websites';
  readonly state = GROUP_TABLES.websites.state;
  readonly builds = GROUP_TABLES.websites.builds;
  readonly types = [...HIT_TYPES, ...PROFILE_TYPES];
  readonly erasedTypes = [...this.types, 'HitJudgedBot'];
  readonly dictionary: Dictionary;
  readonly domains: HrefDomains;

  /** @param listedSince see {@link ChangedDays} */
  constructor(
    pool: Pool,
    private readonly listedSince?: number,
  ) {
    this.dictionary = new Dictionary(pool);
    this.domains = new HrefDomains(this.dictionary);
  }

  cursorOf({ offset }: LoggedHit): string {
    return String(offset);
  }

  loggedAt({ event }: LoggedHit): number {
    return event.receivedAt;
  }

  hitIn({ event }: LoggedHit): ObservedEvent {
    return event;
  }

  describe({ event }: LoggedHit): EventDescription {
    const { websiteId, visitorId, sessionId } = (event as WebsiteObservedEvent | VisitorIdentified).data; // of `types`
    return describeHit(event, websiteId ?? '', visitorId ?? sessionId ?? event.id);
  }

  async prepare(logged: readonly LoggedHit[]): Promise<ChangeComputation> {
    const events = logged.map(({ event }) => event).filter(isWebsiteEvent);
    const hits = await this.dictionary.intern(events, readHit);
    const visits = new Map<string, VisitorHits>();
    for (const [place, hit] of hits.entries()) {
      const event = events[place];
      if (event) addToVisitorHits(visits, hit, event);
    }
    const { domains, listedSince } = this;
    const batch = { visits, others: await this.readProfiles(logged), domains, listedSince };
    return (on, tables, unwritten) => computeChanges(on, tables, batch, unwritten);
  }

  /** The rows of identifications. */
  async readProfiles(logged: readonly LoggedHit[]): Promise<readonly FoldedRows[]> {
    const identifications = logged.map(({ event }) => event).filter(isIdentificationEvent);
    const read = (event: Identification, strings: StringInterner) =>
      [event, strings.website(event.data.websiteId)] as const;
    return profileRows(await this.dictionary.intern(identifications, read));
  }

  invalidateCaches(): void {
    this.dictionary.invalidateCache();
    this.domains.invalidateCache();
  }
}

export const PROFILE_TYPES: readonly VisitorIdentified['type'][] = ['VisitorIdentified'];

type Identification = VisitorIdentified & { readonly data: { readonly websiteId: string } };

export const isIdentificationEvent = (event: ObservedEvent): event is Identification =>
  event.type === 'VisitorIdentified' && event.data.websiteId !== null;

/** The rows of identifications, each with the text id of its website; no row of anything that is counted. */
function profileRows(identifications: readonly (readonly [Identification, website: number])[]): FoldedRows[] {
  const visitors = new FoldedRows(visitorProfiles);
  const traits = new FoldedRows(profileTraits);
  for (const [{ at, id, data }, website] of identifications) {
    const { subject, profileId: profile_id, visitorId: visitor } = data;
    const identified = `${new Date(at).toISOString()} ${decodeEventId(id).toString('hex')}`;
    if (visitor !== null) visitors.add({ website, visitor, subject, profile_id, identified });
    for (const [trait, value] of Object.entries(data.traits)) {
      traits.add({ website, subject, trait, value, identified });
    }
  }
  return [visitors, traits];
}
