import { readAgent } from './agent';
import { botVerdict } from './bot-verdict';

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
    expect(
      botVerdict(
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
      ),
    ).toBeNull();
  });
});
