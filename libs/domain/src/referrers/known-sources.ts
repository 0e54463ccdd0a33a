/** The kind of source a visitor came from. `internal` and `direct` are judged at intake and never in this list. */
export type SourceType = 'search' | 'social' | 'email' | 'ai' | 'internal' | 'direct' | 'other';

export interface KnownSource {
  readonly name: string;
  /** The one canonical domain its hosts are grouped under. */
  readonly domain: string;
  readonly type: SourceType;
  /** Further hosts; each stands for its subdomains too. `google.*` = that name under any public suffix. */
  readonly hosts: readonly string[];
}

/**
 * Apps by the domain of their source, as `android-app://` and `ios-app://` name them: packages, bundles in lower case, and
 * the numbers of Apple's store.
 */
const APPS: Readonly<Record<string, string>> = {
  'google.com': `
    com.google.android.googlequicksearchbox com.google.android.apps.searchlite com.google.android.apps.magazines
    com.google.googlemobile com.google.news 284815942 459182288`,
  'bing.com': 'com.microsoft.bing',
  'duckduckgo.com': 'com.duckduckgo.mobile.android com.duckduckgo.mobile.ios 663592361',
  'yandex.com': 'ru.yandex.searchplugin',
  'baidu.com': 'com.baidu.searchbox',
  'ecosia.org': 'com.ecosia.android com.ecosia.ecosiaapp',
  'qwant.com': 'com.qwant.liberty',
  'naver.com': 'com.nhn.android.search com.nhncorp.naversearch',
  'x.com': 'com.twitter.android com.twitter.android.lite com.atebits.tweetie2 333903271',
  'facebook.com': 'com.facebook.katana com.facebook.lite com.facebook.facebook 284882215',
  'messenger.com': 'com.facebook.orca com.facebook.messenger 454638411',
  'instagram.com': 'com.instagram.android com.instagram.lite com.burbn.instagram 389801252',
  'threads.net': 'com.instagram.barcelona com.burbn.barcelona 6446901002',
  'linkedin.com': 'com.linkedin.android com.linkedin.linkedin 288429040',
  'reddit.com': 'com.reddit.frontpage com.reddit.reddit 1064216828',
  'youtube.com': 'com.google.android.youtube com.google.ios.youtube 544007664',
  'pinterest.com': 'com.pinterest com.pinterest.twa 429047995',
  'tiktok.com': 'com.zhiliaoapp.musically com.ss.android.ugc.trill 835599320',
  'whatsapp.com': 'com.whatsapp com.whatsapp.w4b net.whatsapp.whatsapp 310633997',
  'telegram.org': 'org.telegram.messenger org.telegram.messenger.web ph.telegra.telegraph 686449807',
  'signal.org': 'org.thoughtcrime.securesms org.whispersystems.signal 874139669',
  'line.me': 'jp.naver.line.android jp.naver.line 443904275',
  'wechat.com': 'com.tencent.mm com.tencent.xin 414478124',
  'bsky.app': 'xyz.blueskyweb.app 6444370199',
  'mastodon.social': 'org.joinmastodon.android org.joinmastodon.app',
  'vk.com': 'com.vkontakte.android com.vk.vkclient',
  'weibo.com': 'com.sina.weibo',
  'snapchat.com': 'com.snapchat.android com.toyopagroup.picaboo 447188370',
  'discord.com': 'com.discord com.hammerandchisel.discord 985746746',
  'slack.com': 'com.slack com.tinyspeck.chatlyio 618783545',
  'teams.microsoft.com': 'com.microsoft.teams com.microsoft.skype.teams 1113153706',
  'quora.com': 'com.quora.android 456034437',
  'tumblr.com': 'com.tumblr com.tumblr.tumblr 305343404',
  'medium.com': 'com.medium.reader 828256236',
  'mail.google.com': 'com.google.android.gm com.google.android.gm.lite com.google.gmail 422689480',
  'outlook.com': 'com.microsoft.office.outlook 951937596',
  'mail.yahoo.com': 'com.yahoo.mobile.client.android.mail 577586159',
  'mail.proton.me': 'ch.protonmail.android ch.protonmail.protonmail',
  'chatgpt.com': 'com.openai.chatgpt com.openai.chat 6448311069',
  'perplexity.ai': 'ai.perplexity.app.android ai.perplexity.app 1668000334',
  'claude.ai': 'com.anthropic.claude 6473753684',
  'gemini.google.com': 'com.google.android.apps.bard com.google.gemini',
  'copilot.microsoft.com': 'com.microsoft.copilot',
  'deepseek.com': 'com.deepseek.chat',
  'grok.com': 'ai.x.grok ai.x.grokapp',
  'poe.com': 'com.poe.android',
  'github.com': 'com.github.android com.github.stormbreaker.prod',
  'wikipedia.org': 'org.wikipedia org.wikimedia.wikipedia',
};

const source = (name: string, domain: string, type: SourceType, ...hosts: string[]): KnownSource => ({
  name,
  domain,
  type,
  hosts: [domain, ...hosts, ...(APPS[domain]?.trim().split(/\s+/) ?? [])],
});

/**
 * The names by which campaigns call a source, beside its name and its hosts, in lower case and without spaces, `_` and
 * `-`.
 */
export const CAMPAIGN_NAMES: Readonly<Record<string, string>> = {
  adwords: 'google.com',
  googleads: 'google.com',
  googlesearch: 'google.com',
  bingads: 'bing.com',
  microsoftads: 'bing.com',
  ddg: 'duckduckgo.com',
  brave: 'search.brave.com',
  twitter: 'x.com',
  fb: 'facebook.com',
  facebookads: 'facebook.com',
  ig: 'instagram.com',
  insta: 'instagram.com',
  instagramads: 'instagram.com',
  linkedinads: 'linkedin.com',
  li: 'linkedin.com',
  redditads: 'reddit.com',
  yt: 'youtube.com',
  tiktokads: 'tiktok.com',
  hn: 'news.ycombinator.com',
  ph: 'producthunt.com',
  teams: 'teams.microsoft.com',
  msteams: 'teams.microsoft.com',
  openai: 'chatgpt.com',
};

/** More specific hosts win over less specific ones wherever they stand in the list. `REFERRER_RULES_VERSION` rises with every change. */
export const KNOWN_SOURCES: readonly KnownSource[] = [
  source('Google', 'google.com', 'search', 'google.*'),
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

  source('X', 'x.com', 'social', 'twitter.com', 't.co'),
  source('Facebook', 'facebook.com', 'social', 'fb.com', 'fb.me', 'facebook.*'),
  source('Instagram', 'instagram.com', 'social'),
  source('Threads', 'threads.net', 'social', 'threads.com'),
  source('LinkedIn', 'linkedin.com', 'social', 'lnkd.in'),
  source('Reddit', 'reddit.com', 'social', 'redd.it'),
  source('YouTube', 'youtube.com', 'social', 'youtu.be', 'youtube-nocookie.com'),
  source('Pinterest', 'pinterest.com', 'social', 'pinterest.*', 'pin.it'),
  source('TikTok', 'tiktok.com', 'social'),
  source('WhatsApp', 'whatsapp.com', 'social', 'wa.me'),
  source('Telegram', 'telegram.org', 'social', 't.me', 'telegram.me'),
  source('Bluesky', 'bsky.app', 'social', 'go.bsky.app'),
  source('Mastodon', 'mastodon.social', 'social', 'mastodon.online', 'mstdn.social'),
  source('Hacker News', 'news.ycombinator.com', 'social', 'hckrnews.com'),
  source('Lobsters', 'lobste.rs', 'social'),
  source('VK', 'vk.com', 'social', 'vk.ru', 'vkontakte.ru'),
  source('Weibo', 'weibo.com', 'social', 't.cn'),
  source('Snapchat', 'snapchat.com', 'social'),
  source('Messenger', 'messenger.com', 'social', 'm.me'),
  source('Microsoft Teams', 'teams.microsoft.com', 'social', 'teams.live.com', 'teams.cloud.microsoft'),
  source('Signal', 'signal.org', 'social', 'signal.me'),
  source('LINE', 'line.me', 'social'),
  source('WeChat', 'wechat.com', 'social', 'weixin.qq.com'),
  source('Discord', 'discord.com', 'social', 'discordapp.com', 'discord.gg'),
  source('Slack', 'slack.com', 'social'),
  source('Quora', 'quora.com', 'social'),
  source('Tumblr', 'tumblr.com', 'social'),
  source('Medium', 'medium.com', 'social'),
  source('Product Hunt', 'producthunt.com', 'social'),

  source('Gmail', 'mail.google.com', 'email'),
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
