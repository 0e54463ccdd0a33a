import { parseRecord } from './json-record';
import { nginxJson } from './nginx-json';

const EXPECTED = {
  host: 'shop.example',
  address: '192.0.2.1',
  at: Date.parse('2026-03-01T10:00:05Z'),
  method: 'GET',
  target: '/a?b=c',
  status: 200,
  referrer: 'https://x.org/',
  userAgent: 'Chrome',
};

describe('a line of a log_format of JSON', () => {
  it.each([
    [
      'named as the variables',
      '{"time_local":"01/Mar/2026:10:00:05 +0000","remote_addr":"192.0.2.1","http_host":"shop.example","request":"GET /a?b=c HTTP/1.1","status":"200","http_referer":"https://x.org/","http_user_agent":"Chrome"}',
    ],
    [
      'with method and address apart',
      '{"@timestamp":"2026-03-01T11:00:05+01:00","client_ip":"192.0.2.1","host":"shop.example","request_method":"GET","request_uri":"/a?b=c","uri":"/index.php","status":200,"http_referrer":"https://x.org/","user_agent":"Chrome"}',
    ],
    [
      'with the query apart, as of ingress-nginx',
      '{"time":"2026-03-01T10:00:05+00:00","remote_addr":"192.0.2.1","x_forward_for":"203.0.113.7","vhost":"shop.example","method":"GET","path":"/a","request_query":"b=c","status":200,"http_referrer":"https://x.org/","http_user_agent":"Chrome"}',
    ],
    [
      'in camel case, with a time in seconds',
      '{"msec":"1772359205.000","remoteAddr":"192.0.2.1","serverName":"shop.example","requestMethod":"GET","requestUri":"/a?b=c","status":"200","httpReferer":"https://x.org/","httpUserAgent":"Chrome"}',
    ],
    [
      'with records within',
      '{"@timestamp":"2026-03-01T10:00:05+00:00","@source":"10.0.0.1","@fields":{"remote_addr":"192.0.2.1","host":"shop.example","request_uri":"/a?b=c","request_method":"GET","status":"200","http_referrer":"https://x.org/","http_user_agent":"Chrome"}}',
    ],
    [
      'of the Elastic Common Schema',
      '{"@timestamp":"2026-03-01T10:00:05Z","client":{"ip":"192.0.2.1"},"url":{"original":"/a?b=c","domain":"shop.example"},"http":{"request":{"method":"GET","referrer":"https://x.org/"},"response":{"status_code":200}},"user_agent":{"original":"Chrome"}}',
    ],
    [
      'with names that are not those of variables, some without value',
      '{"time":"01/Mar/2026:10:00:05 +0000","remote_ip":"-","realip":"192.0.2.1","domain":"shop.example","verb":"GET","uri":"/a","query_string":"?b=c","response":200,"http_referer":"","referrer":"https://x.org/","agent":"Chrome"}',
    ],
    [
      'without method, which is taken for GET',
      '{"ip":"192.0.2.1","host":"shop.example","path":"/a?b=c","status":"200","referrer":"https://x.org/","user_agent":"Chrome","date":"2026-03-01T11:00:05+01:00"}',
    ],
    [
      'whose host is the client',
      '{"time":"2026-03-01T10:00:05+00:00","host":"192.0.2.1","vhost":"shop.example","method":"GET","path":"/a?b=c","status":"200","referrer":"https://x.org/","ua":"Chrome"}',
    ],
  ])('%s has the request', (_, line) => expect(read(line)).toEqual(EXPECTED));

  it('may be escaped as if it were no JSON', () =>
    expect(
      read(
        String.raw`{"time_iso8601":"2026-03-01T10:00:05+00:00","remote_addr":"192.0.2.1","request":"GET /gr\xC3\xB6\x22 HTTP/1.1","status":"200","http_referer":"-","http_user_agent":"-"}`,
      ),
    ).toMatchObject({ target: '/gr%C3%B6%22', referrer: null, userAgent: null }));

  it('has no method where nginx could not read the request', () =>
    expect(
      read('{"time_iso8601":"2026-03-01T10:00:05+00:00","remote_addr":"192.0.2.1","request":"","status":"400"}'),
    ).toMatchObject({ method: '', userAgent: undefined }));

  it.each([
    '',
    '{',
    '{}',
    '[]',
    'null',
    '{"__proto__":{"remote_addr":"192.0.2.1"}}',
    '{"remote_addr":"unix:","time":"2026-03-01T10:00:05Z","request":"GET / HTTP/1.1","status":200}',
    '{"remote_addr":"192.0.2.1","time":"10:00","request":"GET / HTTP/1.1","status":200}',
    '{"remote_addr":"192.0.2.1","time":"2026-03-01T10:00:05Z","request":"GET / HTTP/1.1"}',
    '{"remote_addr":"192.0.2.1","time":"2026-03-01T10:00:05Z","method":"GET","status":200}',
    '{"remote_addr":"192.0.2.1","time":1e999,"request":"GET / HTTP/1.1","status":200}',
    `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
    `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
  ])('is not %.80s', (line) => expect(read(line)).toBeNull());
});

const read = (line: string) => nginxJson.open()(line, parseRecord(line));
