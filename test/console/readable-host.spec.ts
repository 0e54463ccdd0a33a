import { decodePunycode, readableAddress, readableHost } from '../../apps/console/src/addresses/readable-address';

/** The host as it is sent and stored. */
const encoded = (host: string) => new URL(`http://${host}/`).hostname;

describe('a host in the console', () => {
  it.each([
    'bücher.example',
    'shop.größe.de',
    'straße.example',
    'əlaqə.example',
    'пример.рф',
    'аррӏе.рф',
    'президент.рус',
    'παράδειγμα.example',
    '例え.テスト',
    'バーbar.example',
    '한국어.example',
    'تجربة.example',
    'موقع.مصر',
    'हिन्दी.example',
  ])('is read as %s', (host) => {
    expect(encoded(host)).toMatch(/^(.*\.)?xn--/);
    expect(readableHost(encoded(host))).toBe(host);
  });

  it.each([
    ['a Latin word of Cyrillic letters', 'аррӏе.com'],
    ['that before another domain', 'ася.аррӏе.com'],
    ['a top-level domain that looks Latin', 'google.орг'],
    ['a Latin word of Greek letters', 'νικον.com'],
    ['Cyrillic letters among Latin ones', 'pаypal.com'],
    ['Greek letters among Latin ones', 'gοοgle.com'],
    ['phonetic letters', 'ɡoogle.com'],
    ['Cyrillic and Greek letters', 'щψ.com'],
    ['signs', 'i❤.example'],
    ['two labels from right to left among others', 'تجربة.موقع.example'],
    ['a label from right to left before a number', 'تجربة.1a.example'],
  ])('keeps %s encoded', (_, host) => {
    const raw = encoded(host);
    expect(raw).toMatch(/(^|\.)xn--/);
    const [first] = raw.split('.').filter((label) => label.startsWith('xn--'));
    expect(readableHost(raw)).toContain(host === 'ася.аррӏе.com' ? encoded('аррӏе') : first);
  });

  it.each([
    'example.com',
    'Direct',
    'xn--',
    'xn--.example',
    'xn--zzzzz99999.example', // no character
    'xn--a-.example', // not encoded
    'xn--MNCHEN-psa.example', // of capital letters
    'xn--u-ccb.example', // no composed letter
    `xn--${'9'.repeat(300)}.example`,
  ])('is left as it is: %.40s', (host) => expect(readableHost(host)).toBe(host));

  it.each([
    ['\u200D', 'ab-m1t'],
    ['\u202E', 'ab-g4t'],
    ['\u2044', 'ab-c6t'],
    ['\u3002', 'ab-r13a'],
    ['\uFF41', 'ab-cz3n'],
    ['\u3164', 'ab-3w4a'],
    ['\u034F', 'ab-x0b'],
  ])('shows no %j', (character, label) => {
    expect(decodePunycode(label)).toBe(`a${character}b`);
    expect(readableHost(`xn--${label}.com`)).toBe(`xn--${label}.com`);
  });
});

describe('an address in the console', () => {
  it.each([
    [
      'https://xn--bcher-kva.example:8443/gr%C3%B6%C3%9Fe?q=%C3%9F#top',
      'https://bücher.example:8443/größe?q=%C3%9F#top',
    ],
    ['https://xn--bcher-kva.example', 'https://bücher.example'],
    ['https://example.com/a', 'https://example.com/a'],
    ['https://xn--bcher-kva.example@evil.example/', 'https://xn--bcher-kva.example@evil.example/'],
    [`https://${encoded('موقع.مصر')}/1`, `https://${encoded('موقع.مصر')}/1`],
    ['mailto:a@xn--bcher-kva.example', 'mailto:a@xn--bcher-kva.example'],
    ['', ''],
  ])('%s is read as %s', (raw, read) => expect(readableAddress(raw)).toBe(read));
});

/** Each sample of RFC 3492, section 7.1, of letters. */
describe('Punycode', () => {
  it.each([
    ['egbpdaj6bu4bxfgehfvwxn', 'ليهمابتكلموشعربي؟'],
    ['ihqwcrb4cv8a8dqg056pqjye', '他们为什么不说中文'],
    ['ihqwctvzc91f659drss3x8bo0yb', '他們爲什麽不說中文'],
    ['Proprostnemluvesky-uyb24dma41a', 'Pročprostěnemluvíčesky'],
    ['4dbcagdahymbxekheh6e0a7fei0b', 'למההםפשוטלאמדבריםעברית'],
    ['i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd', 'यहलोगहिन्दीक्योंनहींबोलसकतेहैं'],
    ['n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa', 'なぜみんな日本語を話してくれないのか'],
    [
      '989aomsvi5e83db1d2a355cv1e0vak1dwrv93d5xbh15a0dt30a5jpsd879ccm6fea98c',
      '세계의모든사람들이한국어를이해한다면얼마나좋을까',
    ],
    ['b1abfaaepdrnnbgefbadotcwatmq2g4l', 'почемужеонинеговорятпорусски'],
    ['PorqunopuedensimplementehablarenEspaol-fmd56a', 'PorquénopuedensimplementehablarenEspañol'],
    ['TisaohkhngthchnitingVit-kjcr8268qyxafd2f1b9g', 'TạisaohọkhôngthểchỉnóitiếngViệt'],
    ['3B-ww4c5e180e575a65lsy2b', '3年B組金八先生'],
    ['-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n', '安室奈美恵-with-SUPER-MONKEYS'],
    ['Hello-Another-Way--fc4qua05auwb3674vfr0b', 'Hello-Another-Way-それぞれの場所'],
    ['2-u9tlzr9756bt3uc0v', 'ひとつ屋根の下2'],
    ['MajiKoi5-783gue6qz075azm5e', 'MajiでKoiする5秒前'],
    ['de-jg4avhby1noc0d', 'パフィーdeルンバ'],
    ['d9juau41awczczp', 'そのスピードで'],
    ['-> $1.00 <--', '-> $1.00 <-'],
  ])('%s stands for %s', (text, decoded) => expect(decodePunycode(text)).toBe(decoded));

  it.each(['ß', 'a-ß', 'a_b-!', '9'.repeat(400), 'zzzzz99999'])('%.20s stands for nothing', (text) =>
    expect(decodePunycode(text)).toBeUndefined(),
  );
});
