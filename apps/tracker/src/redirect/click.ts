import { randomEventId } from '@ledgerline/contracts/events/event-id';
import type { HitJudgedBot, LinkClicked } from '@ledgerline/contracts/events/observed-events';
import type { Link } from '@ledgerline/domain/registry/registry';
import { saltedHash } from '@ledgerline/platform/salts/visitor-hash';
import { readReferrer, readUtm } from '../intake/payloads/page';
import { cleanText } from '../intake/payloads/text';
import type { Agent } from '../visitors/agent';
import type { BotVerdict } from '../visitors/bot-verdict';
import type { Place } from '../geo/atlas';

/** Somebody, or a bot, at a short link; holds an address, so it never outlives the request. */
export interface Visit {
  readonly link: Link;
  readonly at: number;
  readonly address: string;
  readonly userAgent: string;
  readonly agent: Agent;
  readonly referrer: string | undefined;
  readonly query: string;
}

/** The click as it is recorded, without address and user agent; without a salt nobody can be told apart. */
export function clickOf(visit: Visit, place: Place, salt: Buffer | null): LinkClicked {
  const { link, at, address, userAgent, agent, query } = visit;
  return {
    type: 'LinkClicked',
    id: randomEventId(at),
    at,
    receivedAt: at,
    data: {
      country: place.country,
      region: place.region,
      city: place.city,
      browser: agent.browser,
      browserVersion: agent.browserVersion,
      os: agent.os,
      device: agent.device,
      organizationId: link.organizationId,
      linkId: link.id,
      visitorId: salt && saltedHash(salt, 'browser', `${address}\n${userAgent}`),
      referrer: referrerOf(visit),
      utm: query === '' ? null : readUtm({}, query),
    },
  };
}

/** A bot's click: kept, never counted. */
export function botClickOf(
  { link, at, userAgent, agent, ...visit }: Visit,
  bot: BotVerdict,
  place: Place,
): HitJudgedBot {
  const referrer = referrerOf(visit);
  return {
    type: 'HitJudgedBot',
    id: randomEventId(at),
    at,
    receivedAt: at,
    data: {
      organizationId: link.organizationId,
      websiteId: null,
      linkId: link.id,
      userAgent: cleanText(userAgent, 1024) ?? '',
      bot: bot.name,
      rule: bot.rule,
      ruleVersion: bot.ruleVersion,
      hit: { type: 'LinkClicked', data: { ...place, ...agent, referrer: referrer && { ...referrer } } },
    },
  };
}

function referrerOf({ referrer }: Pick<Visit, 'referrer'>) {
  if (referrer === undefined) return null;
  const origin = readReferrer(cleanText(referrer, 2048));
  return origin && { ...origin, own: false };
}
