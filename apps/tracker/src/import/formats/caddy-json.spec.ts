import { caddyJson } from './caddy-json';
import type { JsonRecord } from './json-record';

const REQUEST = {
  remote_ip: '10.0.0.2',
  remote_port: '41234',
  client_ip: '192.0.2.1',
  method: 'GET',
  host: 'Shop.example:8443',
  uri: '/a?b=c',
  headers: { 'User-Agent': ['Chrome'], Referer: ['https://x.org/'], 'X-Forwarded-For': ['203.0.113.7'] },
};
const RECORD = {
  level: 'info',
  ts: 1772359205.25,
  logger: 'http.log.access.log0',
  msg: 'handled request',
  request: REQUEST,
  status: 200,
};

describe('a line of Caddy', () => {
  it('has the request', () =>
    expect(read(RECORD)).toEqual({
      host: 'shop.example',
      address: '192.0.2.1',
      at: Date.parse('2026-03-01T10:00:05.250Z'),
      method: 'GET',
      target: '/a?b=c',
      status: 200,
      referrer: 'https://x.org/',
      userAgent: 'Chrome',
    }));

  it.each([
    ['of a version without client_ip', { remote_ip: '2001:DB8::1', client_ip: undefined }, { address: '2001:db8::1' }],
    [
      'of a version with a port',
      { remote_addr: '[2001:db8::1]:5', remote_ip: undefined, client_ip: undefined },
      { address: '2001:db8::1' },
    ],
    ['without user agent', { headers: {} }, { userAgent: null, referrer: null }],
    ['that is set to log no headers', { headers: undefined }, { userAgent: undefined }],
  ])('%s is read', (_, request, expected) =>
    expect(read({ ...RECORD, request: { ...REQUEST, ...request } })).toMatchObject(expected),
  );

  it.each([
    ['without msg', { msg: undefined }],
    ['without logger', { logger: undefined }],
    ['of an error', { level: 'error' }],
    ['with another time_key and time_format', { ts: undefined, time: '2026-03-01T10:00:05.250Z' }],
  ])('%s is read', (_, other) =>
    expect(read({ ...RECORD, ...other })).toMatchObject({ at: Date.parse('2026-03-01T10:00:05.250Z') }),
  );

  it('may be of another step of the request, which is none', () =>
    expect(read({ ...RECORD, logger: 'http.handlers.reverse_proxy', msg: 'upstream roundtrip' })).toBe('message'));

  it.each([{}, { ...RECORD, request: 'GET /' }, { ...RECORD, status: undefined }, { ...RECORD, ts: 'yesterday' }])(
    'is not %j',
    (record) => expect(read(record)).toBeNull(),
  );
});

const read = (record: JsonRecord) => caddyJson.open()('', record);
