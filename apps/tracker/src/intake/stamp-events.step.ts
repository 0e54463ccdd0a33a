import type { ObservedEvent, Referrer, WebsiteStamp } from '@ledgerline/contracts/events/observed-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import type { Website } from '@ledgerline/domain/directory/directory';
import { eventIdOf, randomEventId } from '@ledgerline/contracts/events/event-id';
import type { BotVerdict, Delivery, Item } from './delivery';
import { isWithin, type Origin } from './payloads/page';

/** Makes each item the event that is recorded, with everything a projection will ever need stamped on it. */
export function stampEvents(delivery: Delivery): void {
  for (const item of delivery.items) {
    const event = stamped(item, delivery);
    item.event = delivery.bot === null ? event : judged(event, item, delivery.bot, delivery.userAgent ?? '');
  }
}

function stamped(item: Item, { surroundings, request }: Delivery): ObservedEvent {
  const { facts, kind, clientEventId } = item.payload;
  const subject = subjectOf(item);
  const head = {
    id: clientEventId === null ? randomEventId(request.receivedAt) : eventIdOf(subject, kind, clientEventId),
    at: item.at,
    receivedAt: request.receivedAt,
  };
  const stamp = stampOf(item);
  switch (facts.type) {
    case 'PageViewed': {
      const referrer = withOwner(facts.data.referrer, item.website);
      return { type: facts.type, ...head, data: { ...stamp, ...surroundings, ...facts.data, referrer } };
    }
    case 'PageLeft':
      return { type: facts.type, ...head, data: { ...stamp, ...facts.data } };
    case 'EngagementMeasured':
      return { type: facts.type, ...head, data: { ...stamp, ...facts.data } };
    case 'CustomEventTracked':
      return { type: facts.type, ...head, data: { ...stamp, ...surroundings, ...facts.data } };
    case 'OutgoingLinkClicked':
      return { type: facts.type, ...head, data: { ...stamp, ...surroundings, ...facts.data } };
    case 'VitalMeasured':
      return { type: facts.type, ...head, data: { ...stamp, ...surroundings, ...facts.data } };
    case 'ErrorRecorded':
      return { type: facts.type, ...head, data: { ...stamp, ...surroundings, ...facts.data } };
  }
}

const stampOf = ({ website, organizationId, visitorId, sessionId }: Item): WebsiteStamp => ({
  organizationId,
  websiteId: website?.id ?? null,
  zone: website?.timezone ?? 'UTC',
  identity: website?.visitorIdentity ?? 'daily',
  visitorId,
  sessionId,
});

const withOwner = (referrer: Origin | null, website: Website | null): Referrer | null =>
  referrer && { ...referrer, own: website !== null && isWithin(referrer.host, website.domain) };

/** Website, or organization for its own events: what its hits are ordered and recognised by. */
export const subjectOf = ({ website, organizationId }: Item): string => website?.id ?? organizationId;

/** The same hit as one that is never counted. */
function judged(hit: ObservedEvent, item: Item, bot: BotVerdict, userAgent: string): ObservedEvent {
  const { id, at, receivedAt, type, data } = hit;
  return {
    type: 'HitJudgedBot',
    id,
    at,
    receivedAt,
    data: {
      organizationId: item.organizationId,
      websiteId: item.website?.id ?? null,
      linkId: null,
      userAgent: userAgent.slice(0, 1024),
      bot: bot.name,
      rule: bot.rule,
      ruleVersion: bot.ruleVersion,
      hit: { type, data: data as unknown as JsonObject }, // events are plain data
    },
  };
}
