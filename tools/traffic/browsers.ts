import type { DeviceType } from '@ledgerline/contracts/events/observed-events';
import { weighted } from './choices';
import type { Random } from './random';

/** A browser: its user agent, and the values that intake derives from it. */
export interface Browser {
  readonly userAgent: string;
  readonly name: string;
  readonly version: string;
  readonly os: string;
  readonly device: DeviceType;
  readonly screen: string;
}

interface Kind {
  readonly name: string;
  readonly os: string;
  readonly device: DeviceType;
  /** `%` stands for the version. */
  readonly agent: string;
  readonly versions: readonly [string, ...string[]];
  readonly screens: readonly [string, ...string[]];
}

const CHROME_VERSIONS = ['140.0.0.0', '141.0.0.0', '139.0.0.0', '138.0.0.0', '131.0.0.0'] as const;
const DESKTOP_SCREENS = ['1920x1080', '1536x864', '2560x1440', '1440x900', '1366x768', '3840x2160'] as const;
const PHONE_SCREENS = ['390x844', '393x873', '412x915', '360x800', '430x932'] as const;
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

const chrome = (os: string, system: string): Kind => ({
  name: 'Chrome',
  os,
  device: 'desktop',
  agent: `Mozilla/5.0 (${system}) ${WEBKIT} Chrome/% Safari/537.36`,
  versions: CHROME_VERSIONS,
  screens: DESKTOP_SCREENS,
});

const iphone: Kind = {
  name: 'Mobile Safari',
  os: 'iOS',
  device: 'mobile',
  agent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/% Mobile/15E148 Safari/604.1',
  versions: ['18.5', '18.4', '17.6'],
  screens: PHONE_SCREENS,
};

const draw = weighted<Kind>([
  [chrome('Windows', 'Windows NT 10.0; Win64; x64'), 28],
  [chrome('Mac OS', 'Macintosh; Intel Mac OS X 10_15_7'), 11],
  [chrome('Linux', 'X11; Linux x86_64'), 4],
  [
    {
      ...chrome('Android', 'Linux; Android 10; K'),
      device: 'mobile',
      agent: `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/% Mobile Safari/537.36`,
      screens: PHONE_SCREENS,
    },
    22,
  ],
  [iphone, 19],
  [
    {
      ...iphone,
      os: 'iOS',
      device: 'tablet',
      agent: iphone.agent.replace('iPhone; CPU iPhone OS', 'iPad; CPU OS'),
      screens: ['820x1180', '1024x1366'],
    },
    3,
  ],
  [
    {
      name: 'Safari',
      os: 'Mac OS',
      device: 'desktop',
      agent:
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/% Safari/605.1.15',
      versions: ['18.5', '18.4', '17.6'],
      screens: ['1440x900', '1512x982', '1728x1117'],
    },
    5,
  ],
  [
    {
      name: 'Firefox',
      os: 'Windows',
      device: 'desktop',
      agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/%',
      versions: ['142.0', '141.0', '140.0'],
      screens: DESKTOP_SCREENS,
    },
    4,
  ],
  [
    {
      ...chrome('Windows', ''),
      name: 'Edge',
      agent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/%`,
    },
    4,
  ],
]);

export function someBrowser(random: Random): Browser {
  const { name, os, device, agent, versions, screens } = draw(random);
  const version = random.pick(versions);
  return { userAgent: agent.replace('%', version), name, version, os, device, screen: random.pick(screens) };
}

/** User agents of crawlers that every bot list contains. */
export const someBot = weighted([
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 5],
  ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 3],
  ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)', 3],
  ['Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)', 2],
  ['curl/8.7.1', 1],
]);
