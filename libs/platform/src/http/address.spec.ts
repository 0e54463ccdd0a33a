import { Environment } from '../config/environment';
import { trustProxy } from '../config/http-settings';
import { countedAddress, normalAddress, clientAddressReader } from './address';

describe('an address in its one form', () => {
  it.each<[string, string]>([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:51234', '192.0.2.7'],
    ['[192.0.2.7]', '192.0.2.7'],
    ['[2001:DB8:0:0:0:0:0:1]:443', '2001:db8::1'],
    ['2001:0db8::0001', '2001:db8::1'],
    ['[::ffff:192.0.2.7]:80', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('of %s is %s', (text, address) => expect(normalAddress(text)).toBe(address));

  it.each(['', 'unknown', '_hidden', '192.0.2', '192.0.2.256', '1.2.3.4:x', 'example.com', '[::1', '::1]'])(
    'is not there for %s',
    (text) => expect(normalAddress(text)).toBeUndefined(),
  );
});

describe('the address a client is counted by', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('of %s is %s', (ip, address) => expect(countedAddress(ip)).toBe(address));
});

const PROXY = '::ffff:10.0.0.9';

/** The address that a tracker with this TRUST_PROXY reads of a request of `PROXY`. */
const read = (setting: string, headers: Readonly<Record<string, string>>, remoteAddress: string | undefined = PROXY) =>
  clientAddressReader(trustProxy(new Environment({ TRUST_PROXY: setting })))({ headers, socket: { remoteAddress } });

const xff = (text: string) => ({ 'x-forwarded-for': text });
const forwarded = (text: string) => ({ forwarded: text });

describe('the address of a client', () => {
  it('is that of the connection, where nobody is trusted to name another', () => {
    expect(read('false', xff('8.8.8.8'))).toBe('10.0.0.9');
    expect(read('192.0.2.0/24', xff('8.8.8.8'))).toBe('10.0.0.9');
    expect(read('0', xff('8.8.8.8'))).toBe('10.0.0.9');
    expect(read('true', {}, 'fe80::1%eth0')).toBe('fe80::1');
    expect(clientAddressReader({ whom: false, header: 'forwarded' })({ headers: {}, socket: {} })).toBe('');
  });

  it.each([
    ['8.8.8.8:51234', '8.8.8.8'],
    ['[2001:DB8::0:1]:443', '2001:db8::1'],
    ['"[2001:db8::1]:443"', '2001:db8::1'],
    ['::ffff:8.8.8.8', '8.8.8.8'],
    ['8.8.8.8 , 10.0.0.1:80', '8.8.8.8'],
    ['unknown', '10.0.0.9'],
    ['', '10.0.0.9'],
    ['unknown, 8.8.8.8', '8.8.8.8'],
    ['8.8.8.8, unix:', '8.8.8.8'],
  ])('is the first in X-Forwarded-For: %s, where all are trusted', (text, address) =>
    expect(read('true', xff(text))).toBe(address),
  );

  it.each([
    ['1', '6.6.6.6, 8.8.8.8:1', '8.8.8.8'],
    ['2', '6.6.6.6, 8.8.8.8, 10.0.0.1:80', '8.8.8.8'],
    ['1', '6.6.6.6, unknown', '10.0.0.9'],
    ['uniquelocal', '6.6.6.6, 8.8.8.8, [fd00::1]:80, 10.0.0.1:80', '8.8.8.8'],
    ['10.0.0.0/8', '6.6.6.6, unknown, 10.0.0.1:80', '10.0.0.1'],
    ['::ffff:10.0.0.9', '6.6.6.6, 8.8.8.8', '8.8.8.8'],
  ])('with TRUST_PROXY=%s is the nearest of %s that is not trusted', (setting, text, address) =>
    expect(read(setting, xff(text))).toBe(address),
  );

  it('is read from the header that is named, and no other', () => {
    const headers = { ...xff('6.6.6.6'), 'x-real-ip': '8.8.8.8:4711', 'cf-connecting-ip': '2001:DB8::8' };
    expect(read('1 X-Real-IP', headers)).toBe('8.8.8.8');
    expect(read('CF-Connecting-IP', headers)).toBe('2001:db8::8');
    expect(read('10.0.0.0/8, true-client-ip', headers)).toBe('10.0.0.9');
    expect(read('192.0.2.1 X-Real-IP', headers)).toBe('10.0.0.9');
  });

  it.each([
    ['for="[2001:db8::1]:4711"', '2001:db8::1'],
    ['For=192.0.2.60;proto=http; by=203.0.113.43', '192.0.2.60'],
    ['proto=https;for="192.0.2.60:80"', '192.0.2.60'],
    ['for=192.0.2.60:80', '192.0.2.60'],
    ['for=192.0.2.43, for="[fd00::1]"', '192.0.2.43'],
    ['by="a;for=6.6.6.6,\\"";for=192.0.2.60', '192.0.2.60'],
    ['for=_hidden, for=192.0.2.60', '192.0.2.60'],
    ['for=unknown', '10.0.0.9'],
    ['proto=https', '10.0.0.9'],
    ['192.0.2.60', '10.0.0.9'],
  ])('is that of Forwarded: %s', (text, address) => expect(read('true Forwarded', forwarded(text))).toBe(address));

  it.each(['for=6.6.6.6;x="', 'for="6.6.6.6', 'for=6.6.6.6;x="\\', 'for=6.6.6.6 for='])(
    'cannot be chosen by a client that begins its own Forwarded: %s',
    (own) => {
      const address = read('1 Forwarded', forwarded(`${own}, for="[2001:db8::1]:4711"`));
      expect(['10.0.0.9', '2001:db8::1']).toContain(address);
    },
  );
});
