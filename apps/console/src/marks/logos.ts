import chrome from 'logo:chrome';
import firefox from 'logo:firefox';
import safari from 'logo:safari';
import opera from 'logo:opera';
import edge from 'logo:microsoft-edge';
import brave from 'logo:brave';
import vivaldi from 'logo:vivaldi-icon';
import internetExplorer from 'logo:internetexplorer';
import duckduckgo from 'logo:duckduckgo';
import windows from 'logo:microsoft-windows-icon';
import apple from 'logo:apple';
import linux from 'logo:linux-tux';
import ubuntu from 'logo:ubuntu';
import android from 'logo:android-icon';
import fedora from 'logo:fedora';
import debian from 'logo:debian';
import google from 'logo:google-icon';
import bing from 'logo:bing';
import facebook from 'logo:facebook';
import x from 'logo:x';
import youtube from 'logo:youtube-icon';
import reddit from 'logo:reddit-icon';
import github from 'logo:github-icon';
import linkedin from 'logo:linkedin-icon';
import instagram from 'logo:instagram-icon';
import pinterest from 'logo:pinterest';
import telegram from 'logo:telegram';
import whatsapp from 'logo:whatsapp-icon';
import tiktok from 'logo:tiktok-icon';
import mastodon from 'logo:mastodon-icon';
import bluesky from 'logo:bluesky';
import hackerNews from 'logo:ycombinator';
import productHunt from 'logo:producthunt';
import openai from 'logo:openai-icon';
import perplexity from 'logo:perplexity-icon';
import claude from 'logo:claude-icon';
import slack from 'logo:slack-icon';
import discord from 'logo:discord-icon';
import medium from 'logo:medium-icon';
import stackOverflow from 'logo:stackoverflow-icon';
import threads from 'logo:threads-icon';
import gmail from 'logo:google-gmail';
import gemini from 'logo:google-bard-icon';
import teams from 'logo:microsoft-teams';
import messenger from 'logo:messenger';
import mistral from 'logo:mistral-ai-icon';
import deepseek from 'logo:deepseek-icon';
import grok from 'logo:grok-icon';
import signal from 'logo:signal';

type Logos = ReadonlyMap<string, string>;

const byName = (logos: Readonly<Record<string, string>>): Logos => new Map(Object.entries(logos));

/** By the names that the api gives browsers; each stands for its variants, too (`Mobile Safari`, `Chrome WebView`). */
export const BROWSERS = byName({
  Chrome: chrome,
  Chromium: chrome,
  Firefox: firefox,
  Safari: safari,
  Opera: opera,
  Edge: edge,
  Brave: brave,
  Vivaldi: vivaldi,
  IE: internetExplorer,
  DuckDuckGo: duckduckgo,
  Facebook: facebook,
  Instagram: instagram,
  TikTok: tiktok,
});

export const SYSTEMS = byName({
  Windows: windows,
  'Mac OS': apple,
  macOS: apple,
  iOS: apple,
  Android: android,
  Linux: linux,
  Ubuntu: ubuntu,
  Fedora: fedora,
  Debian: debian,
  'Chrome OS': chrome,
  'Chromium OS': chrome,
});

/** By the names of known sources (libs/domain/src/referrers/known-sources.ts). */
export const SOURCES = byName({
  Google: google,
  Bing: bing,
  DuckDuckGo: duckduckgo,
  'Brave Search': brave,
  X: x,
  Facebook: facebook,
  Instagram: instagram,
  Threads: threads,
  LinkedIn: linkedin,
  Reddit: reddit,
  YouTube: youtube,
  Pinterest: pinterest,
  TikTok: tiktok,
  WhatsApp: whatsapp,
  Telegram: telegram,
  Bluesky: bluesky,
  Mastodon: mastodon,
  'Hacker News': hackerNews,
  Messenger: messenger,
  'Microsoft Teams': teams,
  Signal: signal,
  Discord: discord,
  Slack: slack,
  Medium: medium,
  'Product Hunt': productHunt,
  Gmail: gmail,
  ChatGPT: openai,
  Perplexity: perplexity,
  Claude: claude,
  Gemini: gemini,
  DeepSeek: deepseek,
  Grok: grok,
  Mistral: mistral,
  GitHub: github,
  'Stack Overflow': stackOverflow,
});
