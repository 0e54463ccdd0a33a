import { eventIdOf, randomEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import type { BotVerdict } from '../visitors/bot-verdict';
import type { Delivery, Item } from './delivery';
import { eventOf } from './event-of';
import { cleanText } from './payloads/text';

/** Makes each item the event that is recorded, with everything a projection will ever need stamped on it. */
export function stampEvents(delivery: Delivery): void {
  const { bot, place, agent, request, userAgent } = delivery;
  for (const item of delivery.items) {
    const event = eventOf(item, { id: idOf(item, request.receivedAt), receivedAt: request.receivedAt, place, agent });
    item.event = bot === null ? event : judged(event, item, bot, userAgent ?? '');
  }
}

function idOf(item: Item, receivedAt: number): string {
  const { kind, clientEventId } = item.payload;
  return clientEventId === null ? randomEventId(receivedAt) : eventIdOf(subjectOf(item), kind, clientEventId);
}

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
      userAgent: cleanText(userAgent, 1024) ?? '',
      bot: bot.name,
      rule: bot.rule,
      ruleVersion: bot.ruleVersion,
      hit: { type, data: data as unknown as JsonObject }, // events are plain data
    },
  };
}
