import type { Website } from '@ledgerline/contracts/records';
import type { PageViewed } from '@ledgerline/contracts/events/observed-events';
import { isWithin, readPage, readReferrer, readUtm } from '../parse/page';
import { cleanText } from '../parse/text';
import { readAgent } from '../visitors/agent';
import type { GeoDatabase } from '../visitors/geo-database';
import type { HitsPerVisitor } from '../visitors/hits-per-visitor';
import type { CombinedLine } from './combined-line';
import type { ImportIdentity } from './import-identity';

/** The website that lines are imported into, and what is needed to stamp them. */
export interface ImportTarget {
  readonly website: Website;
  readonly identity: ImportIdentity;
  readonly geo: Pick<GeoDatabase, 'locate'>;
  readonly hitsPerVisitor: Pick<HitsPerVisitor, 'take'>;
}

/** The page view of a line; null when its target is no page at all. */
export function pageViewOf(line: CombinedLine, text: string, to: ImportTarget, now: number): PageViewed | null {
  const { website, identity, geo, hitsPerVisitor } = to;
  const page = readPage(cleanText(line.target, 2048) ?? '/');
  if (page === null) return null;
  const userAgent = line.userAgent ?? '';
  const visitorId = identity.visitorOf(line.address, userAgent, line.at);
  const origin = readReferrer(cleanText(line.referrer, 2048));
  return {
    type: 'PageViewed',
    id: identity.eventIdOf(text),
    at: line.at,
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
