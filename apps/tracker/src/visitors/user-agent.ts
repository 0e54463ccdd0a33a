import type { IncomingHttpHeaders } from 'node:http';
import { isbot, isbotMatch } from 'isbot';
import { version } from 'isbot/package.json';
import { LRUCache } from 'lru-cache';
import { UAParser } from 'ua-parser-js';
import type { UserAgentInfo, DeviceType, Place, VisitorAttributes } from '@ledgerline/contracts/events/observed-events';
import { cleanText } from '../parse';

export const UNKNOWN_AGENT: UserAgentInfo = { browser: null, browserVersion: null, os: null, device: 'other' };

const agents = new LRUCache<string, UserAgentInfo>({ max: 10_000, memoMethod: parse });
const MAX_READ = 512;

/** Browser, its version, operating system and kind of device of a user agent. */
export const readAgent = (userAgent: string): UserAgentInfo => agents.memo(userAgent.slice(0, MAX_READ));

function parse(userAgent: string): UserAgentInfo {
  const { browser, os, device } = new UAParser(userAgent).getResult();
  return {
    browser: cleanText(browser.name, 64),
    browserVersion: cleanText(browser.version, 32),
    os: cleanText(os.name, 64),
    device: kindOf(device.type, browser.name !== undefined || os.name !== undefined),
  };
}

/** The parser names the type of everything but ordinary computers. */
function kindOf(type: string | undefined, known: boolean): DeviceType {
  if (type === 'mobile' || type === 'tablet') return type;
  return type === undefined && known ? 'desktop' : 'other';
}

/** Adds what is known of a visitor to the data of an event. Assigned one by one: spreading costs many times as much. */
export function withVisitorAttributes<Data extends object>(
  data: Data,
  place: Place,
  agent: UserAgentInfo,
): Data & VisitorAttributes {
  const target = data as Data & { -readonly [Name in keyof VisitorAttributes]: VisitorAttributes[Name] };
  target.country = place.country;
  target.region = place.region;
  target.city = place.city;
  target.browser = agent.browser;
  target.browserVersion = agent.browserVersion;
  target.os = agent.os;
  target.device = agent.device;
  return target;
}

/** A rule of our own, beside the patterns of isbot. Its version is recorded with each hit that it judges. */
interface BotRule {
  readonly rule: string;
  /** To be raised with every change of the pattern. */
  readonly version: string;
  /** The pattern whose match is recorded as the name of the bot. */
  readonly pattern: RegExp;
}

/** Tried in order, before isbot: programs whose user agents isbot 5.2 takes for browsers. */
export const BOT_RULES: readonly BotRule[] = [
  { rule: 'browser-automation', version: '1', pattern: /\b(?:jsdom|puppeteer|rendertron|webdriver)\b/i },
  { rule: 'synthetic-monitoring', version: '1', pattern: /\b(?:calibre|checkly|webpagetest)\b/i },
  {
    rule: 'ai-agent',
    version: '1',
    pattern: /\b(?:ChatGPT-User|Claude-User|cohere-ai|Perplexity-User|MistralAI-User)\b/i,
  },
  { rule: 'crawler', version: '1', pattern: /\bYahoo! Slurp\b/i },
];

/** Why a hit is not a person's who sees something. */
export interface BotVerdict {
  readonly name: string | null;
  readonly rule: string;
  readonly ruleVersion: string;
}

const verdicts = new LRUCache<string, { verdict: BotVerdict | null }>({ max: 10_000 });
const NO_USER_AGENT: BotVerdict = { name: null, rule: 'no-user-agent', ruleVersion: '1' };
/** The greatest length of a user agent that is remembered: no browser has a longer one. */
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

/** The verdict on a person's browser that loads something before anybody asks to see it; its user agent is not kept. */
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
