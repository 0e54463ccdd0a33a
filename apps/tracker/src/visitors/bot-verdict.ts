import type { IncomingHttpHeaders } from 'node:http';
import { isbot, isbotMatch } from 'isbot';
import { version } from 'isbot/package.json';
import { LRUCache } from 'lru-cache';
import { BOT_RULES } from './bot-rules';

/** Why a hit is not a person's who sees something. */
export interface BotVerdict {
  readonly name: string | null;
  readonly rule: string;
  readonly ruleVersion: string;
}

const verdicts = new LRUCache<string, { verdict: BotVerdict | null }>({ max: 10_000 });
const NO_USER_AGENT: BotVerdict = { name: null, rule: 'no-user-agent', ruleVersion: '1' };
/** What is longer than any browser's user agent is not worth remembering. */
const MAX_REMEMBERED = 512;

/** Why this user agent is a bot's; null = it may be a person's. */
export function botVerdict(userAgent: string | null): BotVerdict | null {
  if (userAgent === null || userAgent.trim() === '') return NO_USER_AGENT;
  const known = verdicts.get(userAgent);
  if (known) return known.verdict;
  const judged = userAgent.slice(0, 2048);
  const verdict = verdictOf(judged);
  if (userAgent.length <= MAX_REMEMBERED) verdicts.set(userAgent, { verdict });
  return verdict;
}

function verdictOf(userAgent: string): BotVerdict | null {
  for (const { rule, version: ruleVersion, pattern } of BOT_RULES) {
    const [name] = pattern.exec(userAgent) ?? [];
    if (name !== undefined) return { name, rule, ruleVersion };
  }
  return isbot(userAgent) ? { name: nameIn(userAgent), rule: 'isbot', ruleVersion: version } : null;
}

const NAME = /[A-Za-z0-9_.-]{0,64}(?:bot|crawl|spider|slurp|externalhit|headless)[A-Za-z0-9_-]{0,64}/i;

/** The name of a bot, else the text that isbot matched. */
const nameIn = (userAgent: string): string | null =>
  NAME.exec(userAgent)?.[0] ?? isbotMatch(userAgent)?.slice(0, 64) ?? null;

/** Of a person's browser that loads something before anybody asks to see it; its user agent is not kept. */
export const NOT_SEEN: BotVerdict = { name: null, rule: 'not-seen', ruleVersion: '1' };

/** `prefetch`, `prefetch;prerender`, `prefetch;anonymous-client-ip`, `preview`, `instant`, as browsers write them. */
const UNSEEN_PURPOSE = /(?:^|[\s;,])(?:prefetch|prerender|preview|instant)(?:$|[\s;,])/i;

export const isUnseen = (headers: IncomingHttpHeaders): boolean =>
  ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) => UNSEEN_PURPOSE.test(String(headers[name] ?? '')));

/** Fetchers of link previews, by a part of their user agents: they get a page about the link instead of a redirect. */
const PREVIEWERS = [
  ...['facebookexternalhit', 'facebot', 'twitterbot', 'linkedinbot', 'xing-contenttabreceiver', 'pinterest(?:bot)?/'],
  ...['slackbot', 'discordbot', 'teamsbot', 'skypeuripreview', 'microsoftpreview', 'zoombot', 'googlechat'],
  ...['mattermost', 'rocket\\.chat', 'synapse', 'keybasebot', 'link ?preview', 'googlemessages', 'google-pagerenderer'],
  ...['whatsapp', 'telegrambot', 'viber', 'line-poker', 'kakaotalk-scrap', 'snapchat', 'applebot', 'vkshare'],
  ...['redditbot', 'mastodon', 'misskey', 'pleroma', 'bluesky cardyb', 'tumblr/', 'flipboard', 'embedly', 'iframely'],
];
const PREVIEW = new RegExp(PREVIEWERS.join('|'), 'i');

export const isPreviewBot = (userAgent: string): boolean => PREVIEW.test(userAgent);
