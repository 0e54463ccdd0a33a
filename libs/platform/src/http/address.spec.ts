import { countedAddress, normalAddress } from './address';

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
