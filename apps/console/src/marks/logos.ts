import android from 'logo:android-icon';
import apple from 'logo:apple';
import bing from 'logo:bing';
import bluesky from 'logo:bluesky';
import brave from 'logo:brave';
import chrome from 'logo:chrome';
import claude from 'logo:claude-icon';
import debian from 'logo:debian';
import deepseek from 'logo:deepseek-icon';
import discord from 'logo:discord-icon';
import duckduckgo from 'logo:duckduckgo';
import facebook from 'logo:facebook';
import fedora from 'logo:fedora';
import firefox from 'logo:firefox';
import github from 'logo:github-icon';
import gemini from 'logo:google-bard-icon';
import gmail from 'logo:google-gmail';
import google from 'logo:google-icon';
import grok from 'logo:grok-icon';
import instagram from 'logo:instagram-icon';
import internetExplorer from 'logo:internetexplorer';
import linkedin from 'logo:linkedin-icon';
import linux from 'logo:linux-tux';
import mastodon from 'logo:mastodon-icon';
import medium from 'logo:medium-icon';
import messenger from 'logo:messenger';
import edge from 'logo:microsoft-edge';
import teams from 'logo:microsoft-teams';
import windows from 'logo:microsoft-windows-icon';
import mistral from 'logo:mistral-ai-icon';
import openai from 'logo:openai-icon';
import opera from 'logo:opera';
import perplexity from 'logo:perplexity-icon';
import pinterest from 'logo:pinterest';
import productHunt from 'logo:producthunt';
import reddit from 'logo:reddit-icon';
import safari from 'logo:safari';
import signal from 'logo:signal';
import slack from 'logo:slack-icon';
import stackOverflow from 'logo:stackoverflow-icon';
import telegram from 'logo:telegram';
import threads from 'logo:threads-icon';
import tiktok from 'logo:tiktok-icon';
import ubuntu from 'logo:ubuntu';
import vivaldi from 'logo:vivaldi-icon';
import whatsapp from 'logo:whatsapp-icon';
import x from 'logo:x';
import hackerNews from 'logo:ycombinator';
import youtube from 'logo:youtube-icon';

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
