/** A rule of our own, beside the patterns of isbot. Its version is recorded with each hit that it judges. */
interface BotRule {
  readonly rule: string;
  /** To be raised with every change of the pattern. */
  readonly version: string;
  /** What it matches is recorded as the name of the bot. */
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
