import type { Link } from '@ledgerline/contracts/records';
import { randomEventId } from '@ledgerline/contracts/events/event-id';
import type { Agent, HitJudgedBot, LinkClicked, Place, Referrer } from '@ledgerline/contracts/events/observed-events';
import { saltedHash } from '@ledgerline/platform/salts/visitor-salts';
import { readReferrer, readUtm, cleanText } from '../parse';
import { NOT_SEEN, type BotVerdict, withVisitorAttributes } from '../visitors/user-agent';

/** A request for a short link. It holds an address, so it never outlives the request. */
export interface Visit {
  readonly link: Link;
  readonly at: number;
  readonly address: string;
  readonly userAgent: string;
  readonly agent: Agent;
  readonly referrer: string | undefined;
  readonly query: string;
}

/** The click as it is recorded, without address and user agent. */
export function clickOf(visit: Visit, place: Place, salt: Buffer): LinkClicked {
  const { link, at, address, userAgent, agent, query } = visit;
  const data = Object.assign(withVisitorAttributes({}, place, agent), {
    organizationId: link.organizationId,
    linkId: link.id,
    visitorId: saltedHash(salt, 'browser', `${address}\n${userAgent}`),
    referrer: referrerOf(visit),
    utm: query === '' ? null : readUtm({}, query),
  });
  return { type: 'LinkClicked', id: randomEventId(at), at, receivedAt: at, data };
}

/** A click of a bot, or one that nobody sees: kept, never counted. */
export function judgedClickOf(visit: Visit, place: Place, bot: BotVerdict): HitJudgedBot {
  const { link, at, userAgent, agent } = visit;
  const referrer = referrerOf(visit);
  const hit = Object.assign(withVisitorAttributes({}, place, agent), { referrer: referrer && { ...referrer } });
  const data = {
    organizationId: link.organizationId,
    websiteId: null,
    linkId: link.id,
    userAgent: bot === NOT_SEEN ? '' : (cleanText(userAgent, 1024) ?? ''),
    bot: bot.name,
    rule: bot.rule,
    ruleVersion: bot.ruleVersion,
    hit: { type: 'LinkClicked', data: hit },
  };
  return { type: 'HitJudgedBot', id: randomEventId(at), at, receivedAt: at, data };
}

function referrerOf({ referrer }: Visit): Referrer | null {
  if (referrer === undefined) return null;
  const origin = readReferrer(cleanText(referrer, 2048));
  return origin && { ...origin, own: false };
}
