import { createHmac, hkdfSync } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import type { PageViewed } from '@ledgerline/contracts/events/observed-events';
import { MAX_TEXT } from '@ledgerline/contracts/intake-limits';
import type { Website } from '@ledgerline/contracts/records';
import { dayOf } from '@ledgerline/domain/time/zones';
import { saltedHash } from '@ledgerline/platform/salts/visitor-salts';
import { isWithin, readReferrer, readUtm, cleanText, type Visited } from '../parse';
import type { GeoDatabase } from '../visitors/geo-database';
import { readAgent } from '../visitors/user-agent';
import { DistinctTimes, type HitsPerVisitor } from '../visitors/visit-periods';
import type { LoggedRequest } from './formats/logged-request';

/** The website that lines are imported into, and what is needed to stamp them. */
export interface ImportTarget {
  readonly website: Website;
  readonly identity: ImportIdentity;
  readonly geo: Pick<GeoDatabase, 'locate'>;
  readonly hitsPerVisitor: Pick<HitsPerVisitor, 'take'>;
}

/** How many pairs of a visitor and a second are remembered, to keep the times of page views in one second apart. */
const REMEMBERED_SECONDS = 50_000;

/** The times of the page views of a file: those of a visitor in one second are in the order of their lines. */
export class LineTimes {
  private readonly times = new DistinctTimes(new LRUCache<string, Map<number, number>>({ max: REMEMBERED_SECONDS }));

  take(visitorId: string, at: number): number {
    const second = Math.floor(at / 1_000);
    return this.times.take(`${visitorId} ${second}`, at, second * 1_000 + 999);
  }
}

/** The page view of a line, of the page that its target names. */
export function pageViewOf(
  line: LoggedRequest,
  page: Visited,
  text: string,
  { website, identity, geo, hitsPerVisitor, times }: ImportTarget & { readonly times: LineTimes },
  now: number,
): PageViewed {
  const userAgent = line.userAgent ?? '';
  const visitorId = identity.visitorOf(line.address, userAgent, line.at);
  const origin = readReferrer(cleanText(line.referrer, MAX_TEXT));
  return {
    type: 'PageViewed',
    id: identity.eventIdOf(text),
    at: times.take(visitorId, line.at),
    receivedAt: now,
    data: {
      organizationId: website.organizationId,
      websiteId: website.id,
      zone: website.timezone,
      identity: website.visitorIdentity,
      visitorId: hitsPerVisitor.take(visitorId, website.id, now) ? visitorId : null,
      sessionId: null,
      ...geo.locate(line.address),
      ...readAgent(userAgent),
      ...page,
      title: null,
      referrer: origin && { ...origin, own: isWithin(origin.host, website.domain) },
      utm: readUtm({}, page.query),
      language: null,
      timezone: null,
      screen: null,
      viewport: null,
    },
  };
}

/** Equal lines of one file get different ids as long as at most so many others lie between them. */
const REMEMBERED_LINES = 200_000;

/** Visitor ids of a day, and event ids by which a line is recognised when it is imported again. */
export class ImportIdentity {
  /** One key a day of the website, so that visitors cannot be followed from day to day. */
  private readonly keys = new LRUCache<string, Buffer>({
    max: 1_000,
    memoMethod: (day) => Buffer.from(hkdfSync('sha256', this.secret, '', `visitors of ${day}`, 32)),
  });
  private readonly occurrences = new LRUCache<string, number>({ max: REMEMBERED_LINES });

  constructor(
    private readonly websiteId: string,
    /** The website's import secret: without it a visitor id cannot be linked to an address. */
    private readonly secret: Buffer,
    private readonly zone = 'UTC',
  ) {}

  /** Begins to count equal lines anew: the same line in two files is the same event. */
  beginFile(): void {
    this.occurrences.clear();
  }

  visitorOf(address: string, userAgent: string, at: number): string {
    return saltedHash(this.keys.memo(dayOf(at, this.zone)), 'browser', `${address}\n${userAgent}`);
  }

  /** From the line and how often this file has had it already. */
  eventIdOf(line: string): string {
    const hash = createHmac('sha256', this.secret).update(`line\n${line}`).digest('base64');
    const occurrence = this.occurrences.get(hash) ?? 0;
    this.occurrences.set(hash, occurrence + 1);
    return derivedEventId(this.websiteId, 'import', `${hash} ${occurrence}`);
  }
}
