/** What kind of place a visitor came from. `internal` and `direct` are judged at intake and never in this list. */
export type SourceType = 'search' | 'social' | 'email' | 'ai' | 'internal' | 'direct' | 'other';

export interface KnownSource {
  readonly name: string;
  /** The one canonical domain its hosts are grouped under. */
  readonly domain: string;
  readonly type: SourceType;
  /** Further hosts; each stands for its subdomains too. `google.*` = that name under any public suffix. */
  readonly hosts: readonly string[];
}

const source = (name: string, domain: string, type: SourceType, ...hosts: string[]): KnownSource => ({
  name,
  domain,
  type,
  hosts: [domain, ...hosts],
});

/** More specific hosts win over less specific ones wherever they stand in the list. `REFERRER_RULES_VERSION` rises with every change. */
export const KNOWN_SOURCES: readonly KnownSource[] = [
  source('Google', 'google.com', 'search', 'google.*', 'com.google.android.googlequicksearchbox'),
  source('Bing', 'bing.com', 'search', 'bing.*'),
  source('DuckDuckGo', 'duckduckgo.com', 'search', 'ddg.gg', 'duck.com'),
  source('Yandex', 'yandex.com', 'search', 'yandex.*', 'ya.ru'),
  source('Baidu', 'baidu.com', 'search', 'baidu.*'),
  source('Yahoo', 'yahoo.com', 'search', 'yahoo.*'),
  source('Ecosia', 'ecosia.org', 'search'),
  source('Qwant', 'qwant.com', 'search', 'lite.qwant.com'),
  source('Startpage', 'startpage.com', 'search', 'ixquick.com'),
  source('Brave Search', 'search.brave.com', 'search'),
  source('Kagi', 'kagi.com', 'search'),
  source('Naver', 'naver.com', 'search'),
  source('Seznam', 'seznam.cz', 'search'),
  source('Sogou', 'sogou.com', 'search'),
  source('Ask', 'ask.com', 'search'),
  source('AOL', 'aol.com', 'search', 'aol.*'),
  source('Swisscows', 'swisscows.com', 'search'),
  source('Mojeek', 'mojeek.com', 'search'),

  source('X', 'x.com', 'social', 'twitter.com', 't.co', 'com.twitter.android'),
  source('Facebook', 'facebook.com', 'social', 'fb.com', 'fb.me', 'facebook.*', 'com.facebook.katana'),
  source('Instagram', 'instagram.com', 'social', 'com.instagram.android'),
  source('Threads', 'threads.net', 'social', 'threads.com'),
  source('LinkedIn', 'linkedin.com', 'social', 'lnkd.in', 'com.linkedin.android'),
  source('Reddit', 'reddit.com', 'social', 'redd.it', 'com.reddit.frontpage'),
  source('YouTube', 'youtube.com', 'social', 'youtu.be', 'youtube-nocookie.com'),
  source('Pinterest', 'pinterest.com', 'social', 'pinterest.*', 'pin.it'),
  source('TikTok', 'tiktok.com', 'social'),
  source('WhatsApp', 'whatsapp.com', 'social', 'wa.me', 'com.whatsapp'),
  source('Telegram', 'telegram.org', 'social', 't.me', 'telegram.me', 'org.telegram.messenger'),
  source('Bluesky', 'bsky.app', 'social', 'go.bsky.app'),
  source('Mastodon', 'mastodon.social', 'social', 'mastodon.online', 'mstdn.social'),
  source('Hacker News', 'news.ycombinator.com', 'social', 'hckrnews.com'),
  source('Lobsters', 'lobste.rs', 'social'),
  source('VK', 'vk.com', 'social', 'vk.ru', 'vkontakte.ru'),
  source('Weibo', 'weibo.com', 'social', 't.cn'),
  source('Snapchat', 'snapchat.com', 'social'),
  source('Discord', 'discord.com', 'social', 'discordapp.com', 'discord.gg'),
  source('Slack', 'slack.com', 'social', 'com.slack'),
  source('Quora', 'quora.com', 'social'),
  source('Tumblr', 'tumblr.com', 'social'),
  source('Medium', 'medium.com', 'social'),
  source('Product Hunt', 'producthunt.com', 'social'),

  source('Gmail', 'mail.google.com', 'email', 'com.google.android.gm'),
  source('Outlook', 'outlook.com', 'email', 'outlook.live.com', 'outlook.office.com', 'outlook.office365.com'),
  source('Yahoo Mail', 'mail.yahoo.com', 'email', 'mail.yahoo.*'),
  source('Proton Mail', 'mail.proton.me', 'email', 'mail.protonmail.com'),
  source('iCloud Mail', 'icloud.com', 'email'),
  source('Fastmail', 'fastmail.com', 'email', 'app.fastmail.com'),
  source('Zoho Mail', 'mail.zoho.com', 'email', 'mail.zoho.eu'),
  source('GMX', 'gmx.net', 'email', 'gmx.*'),
  source('AOL Mail', 'mail.aol.com', 'email'),
  source('Yandex Mail', 'mail.yandex.ru', 'email', 'mail.yandex.*'),

  source('ChatGPT', 'chatgpt.com', 'ai', 'chat.openai.com', 'openai.com'),
  source('Perplexity', 'perplexity.ai', 'ai', 'pplx.ai'),
  source('Claude', 'claude.ai', 'ai', 'anthropic.com'),
  source('Gemini', 'gemini.google.com', 'ai', 'bard.google.com'),
  source('Copilot', 'copilot.microsoft.com', 'ai'),
  source('DeepSeek', 'deepseek.com', 'ai', 'chat.deepseek.com'),
  source('Grok', 'grok.com', 'ai', 'x.ai'),
  source('Meta AI', 'meta.ai', 'ai'),
  source('Mistral', 'mistral.ai', 'ai', 'chat.mistral.ai'),
  source('You.com', 'you.com', 'ai'),
  source('Phind', 'phind.com', 'ai'),
  source('Poe', 'poe.com', 'ai'),

  source('GitHub', 'github.com', 'other'),
  source('Stack Overflow', 'stackoverflow.com', 'other'),
  source('Wikipedia', 'wikipedia.org', 'other'),
];
