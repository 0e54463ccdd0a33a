import { isbot, isbotMatch } from 'isbot';
import { version } from 'isbot/package.json';
import { LRUCache } from 'lru-cache';

/** Why a hit is no person's. */
export interface BotVerdict {
  readonly name: string | null;
  readonly rule: string;
  readonly ruleVersion: string;
}

const verdicts = new LRUCache<string, { verdict: BotVerdict | null }>({ max: 10_000 });
const NO_USER_AGENT: BotVerdict = { name: null, rule: 'no-user-agent', ruleVersion: '1' };
/** What is longer than any browser's user agent is not worth remembering. */
const MAX_REMEMBERED = 512;

/** Why this user agent is no person's; null = it may be one's. */
export function botVerdict(userAgent: string | null): BotVerdict | null {
  if (userAgent === null || userAgent.trim() === '') return NO_USER_AGENT;
  const known = verdicts.get(userAgent);
  if (known) return known.verdict;
  const judged = userAgent.slice(0, 2048);
  const verdict = isbot(judged) ? { name: nameIn(judged), rule: 'isbot', ruleVersion: version } : null;
  if (userAgent.length <= MAX_REMEMBERED) verdicts.set(userAgent, { verdict });
  return verdict;
}

/** The word around what gave it away: `Googlebot` where the rule says `Google`. */
function nameIn(userAgent: string): string | null {
  const match = isbotMatch(userAgent);
  const at = match === null ? -1 : userAgent.indexOf(match);
  if (match === null || at === -1) return match;
  const before = /[A-Za-z0-9_-]*$/.exec(userAgent.slice(Math.max(at - 64, 0), at))?.[0] ?? '';
  const after = /^[A-Za-z0-9_-]{0,64}/.exec(userAgent.slice(at + match.length))?.[0] ?? '';
  return `${before}${match}${after}`.trim();
}
