import { isbot } from 'isbot';
import { textHash } from '@ledgerline/platform/database/sql';
import { readAgent, BOT_RULES, botVerdict } from './user-agent';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

describe('a user agent', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0',
      'Firefox',
      'Windows',
      'desktop',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
      'Mobile Safari',
      'iOS',
      'mobile',
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 16_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.0 Mobile/15E148 Safari/604.1',
      'Mobile Safari',
      'iOS',
      'tablet',
    ],
    [
      'Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/538.1 (KHTML, like Gecko) Version/6.0 TV Safari/538.1',
      'Safari',
      'Tizen',
      'other',
    ],
    ['something', null, null, 'other'],
  ])('%s', (userAgent, browser, os, device) => expect(readAgent(userAgent)).toMatchObject({ browser, os, device }));

  it('of a bot is recognised, and named by what it calls itself', () => {
    expect(botVerdict('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)')?.name).toBe(
      'Googlebot',
    );
    expect(botVerdict('curl/8.5.0')).toMatchObject({ rule: 'isbot' });
    expect(botVerdict('  ')).toMatchObject({ rule: 'no-user-agent' });
  });

  it.each([
    ['Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/22.1.0', 'browser-automation', 'jsdom'],
    [`${CHROME} Puppeteer`, 'browser-automation', 'Puppeteer'],
    [`${CHROME} Checkly/1.0`, 'synthetic-monitoring', 'Checkly'],
    ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/2.0', 'ai-agent', 'ChatGPT-User'],
    ['Mozilla/5.0 (compatible; Yahoo! Slurp)', 'crawler', 'Yahoo! Slurp'],
  ])('that isbot takes for a browser’s is judged by our own rules: %s', (userAgent, rule, name) => {
    expect(isbot(userAgent)).toBe(false);
    expect(botVerdict(userAgent)).toEqual({ name, rule, ruleVersion: '1' });
  });

  it.each([CHROME, `${CHROME} Slack/4.0 Electron/25`, 'Mozilla/5.0 (Linux; Android 10; CUBOT_X20_PRO) Chrome/96'])(
    'of a person is no bot’s: %s',
    (userAgent) => expect(botVerdict(userAgent)).toBeNull(),
  );

  it('is judged by rules whose versions change with their patterns', () => {
    const rules = BOT_RULES.map(({ rule, version, pattern }) => [rule, version, textHash(String(pattern)).slice(0, 8)]);
    expect(rules).toEqual([
      ['browser-automation', '1', '3ecd45cf'],
      ['synthetic-monitoring', '1', '51502f71'],
      ['ai-agent', '1', 'c50d3efe'],
      ['crawler', '1', 'cdf56916'],
    ]);
  });
});
