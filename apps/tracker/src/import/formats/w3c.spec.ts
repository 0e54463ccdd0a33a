import { w3c } from './w3c';

const IIS =
  '#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) cs(Referer) sc-status cs-host';
const OF_IIS =
  '2026-03-01 10:00:05 10.0.0.1 GET /über+uns b=c+d fe80::1%4 Mozilla/5.0+(X11;+Linux) https://x.org/a+b 200 Shop.example:443';
const CLOUDFRONT =
  '#Fields: date time c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header';
const OF_CLOUDFRONT =
  '2026-03-01 10:00:05 2001:db8::1 GET d1.cloudfront.net /a%2520b 200 https://x.org/%2520 M/5.0%20(X11;%2520Linux) b=c%2520d shop.example'.replaceAll(
    ' ',
    '\t',
  );

describe('a line in the extended format of the W3C', () => {
  it('of IIS has the request, with + for spaces', () =>
    expect(read(IIS, OF_IIS)).toEqual({
      host: 'shop.example',
      address: 'fe80::1',
      at: Date.parse('2026-03-01T10:00:05Z'),
      method: 'GET',
      target: '/über%20uns?b=c+d',
      status: 200,
      referrer: 'https://x.org/a+b',
      userAgent: 'Mozilla/5.0 (X11; Linux)',
    }));

  it('of CloudFront has the request, encoded once', () =>
    expect(read(CLOUDFRONT, OF_CLOUDFRONT)).toEqual({
      host: 'shop.example',
      address: '2001:db8::1',
      at: Date.parse('2026-03-01T10:00:05Z'),
      method: 'GET',
      target: '/a%20b?b=c%20d',
      status: 200,
      referrer: 'https://x.org/%20',
      userAgent: 'M/5.0 (X11; Linux)',
    }));

  it('may have more columns than are named, and fewer, where they are tabs', () => {
    expect(read(CLOUDFRONT, `${OF_CLOUDFRONT}\t-\t-`)).toMatchObject({ target: '/a%20b?b=c%20d' });
    expect(read(CLOUDFRONT, OF_CLOUDFRONT.split('\t').slice(0, -1).join('\t'))).toMatchObject({
      host: 'd1.cloudfront.net',
    });
  });

  it('may have values in quotation marks', () =>
    expect(
      read(
        IIS,
        OF_IIS.replace('Mozilla/5.0+(X11;+Linux)', '"Mozilla/5.0 (""X11""; Linux)"').replace('fe80::1%4', '"::1"'),
      ),
    ).toMatchObject({ userAgent: 'Mozilla/5.0 ("X11"; Linux)', address: '::1' }));

  it('has the columns of the last #Fields before it', () => {
    const line = w3c.open();
    line(CLOUDFRONT, null);
    expect(line(IIS, null)).toBe('comment');
    expect(line(OF_IIS, null)).toMatchObject({ status: 200 });
    line('#fields:  time  date\tc-ip cs-method cs-uri-stem sc-status', null);
    expect(line('10:00:05 2026-03-01 ::1 GET /a 304', null)).toMatchObject({ status: 304, userAgent: undefined });
    expect(line(OF_IIS, null)).toBeNull();
  });

  it.each([
    ['', ''],
    ['', OF_IIS],
    ['#Fields: date time', '2026-03-01 10:00:05'],
    [IIS, `${OF_IIS} more`],
    [IIS, OF_IIS.replace('2026-03-01', '-')],
    [IIS, OF_IIS.replace('fe80::1%4', '-')],
    [CLOUDFRONT, '\t'.repeat(20)],
    [IIS, '"'.repeat(60_000)],
  ])('is not, after %j, %.60j', (fields, line) => expect(read(fields, line)).toBeNull());
});

function read(fields: string, line: string) {
  const reader = w3c.open();
  reader(fields, null);
  return reader(line, null);
}
