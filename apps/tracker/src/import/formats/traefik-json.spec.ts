import type { JsonRecord } from './json-record';
import { traefikJson } from './traefik-json';

const RECORD = {
  ClientAddr: '172.18.0.1:41234',
  ClientHost: '192.0.2.1',
  DownstreamStatus: 304,
  OriginStatus: 200,
  RequestHost: 'shop.example',
  RequestMethod: 'GET',
  RequestPath: '/a?b=c',
  StartUTC: '2026-03-01T10:00:05.250123456Z',
  StartLocal: '2026-03-01T11:00:05.250123456+01:00',
  level: 'info',
  msg: '',
  'request_User-Agent': 'Chrome',
  request_Referer: 'https://x.org/',
};

describe('a line of Traefik', () => {
  it('has the request', () =>
    expect(read(RECORD)).toEqual({
      host: 'shop.example',
      address: '192.0.2.1',
      at: Date.parse('2026-03-01T10:00:05.250Z'),
      method: 'GET',
      target: '/a?b=c',
      status: 304,
      referrer: 'https://x.org/',
      userAgent: 'Chrome',
    }));

  it.each([
    ['whose client is forwarded by several proxies', { ClientHost: '192.0.2.1, 10.0.0.1' }, { address: '192.0.2.1' }],
    ['without ClientHost', { ClientHost: undefined, ClientAddr: '[2001:db8::1]:5' }, { address: '2001:db8::1' }],
    ['without StartUTC', { StartUTC: undefined }, { at: Date.parse('2026-03-01T10:00:05.250Z') }],
    ['of version 1, with its status as text', { DownstreamStatus: '200' }, { status: 200 }],
    ['that drops headers, as by default', { 'request_User-Agent': undefined }, { userAgent: undefined }],
  ])('%s is read', (_, other, expected) => expect(read({ ...RECORD, ...other })).toMatchObject(expected));

  it.each([{}, { ...RECORD, RequestPath: undefined }, { level: 'info', message: 'Starting provider' }])(
    'is not %j',
    (record) => expect(read(record)).toBeNull(),
  );
});

const read = (record: JsonRecord) => traefikJson.open()('', record);
