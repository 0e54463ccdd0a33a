import { LinePrefixes } from './line-prefixes';

const LINE = '192.0.2.1 - - [17/May/2015:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "x"';
const TIME = '2026-03-01T10:00:05.123456789Z';

describe('a prefix', () => {
  it.each([
    ['docker logs --timestamps', `${TIME} `],
    ['kubectl logs --timestamps', '2026-03-01T10:00:05.123456789+01:00 '],
    ['kubectl logs --prefix --timestamps', `[pod/web-5b56ccd65f-zfvtj/nginx] ${TIME} `],
    ['docker compose logs', 'nginx_1     | '],
    ['docker compose logs --timestamps', `nginx-1  | ${TIME} `],
    ['docker compose logs in colours', '\u001b[36mnginx-1  | \u001b[0m'],
    ['docker-compose logs in colours', '\u001b[36mnginx_1  |\u001b[0m '],
    ['docker service logs', 'web.1.x7d2h3@node-1    | '],
    ['Kubernetes', `${TIME} stdout F `],
    ['journalctl', 'Mar 01 10:00:05 web1 nginx[812]: '],
    ['a syslog', 'Mar  1 10:00:05 web1 nginx: '],
    ['journalctl --no-hostname', 'Mar 01 10:00:05 nginx[812]: '],
    ['journalctl -o short-precise', 'Mar 01 10:00:05.123456 web1 nginx[812]: '],
    ['journalctl -o short-iso', '2026-03-01T10:00:05+0100 web1 nginx[812]: '],
    ['journalctl -o short-full', 'Sun 2026-03-01 10:00:05 CET web1 nginx[812]: '],
    ['journalctl -o short-unix', '1772359205.123456 web1 nginx[812]: '],
    ['journalctl -o short-monotonic', '[   12.345678] web1 nginx[812]: '],
    ['journalctl of a container that Kubernetes logs', `Mar 01 10:00:05 web1 k3s[812]: ${TIME} stderr F `],
  ])('of %s is taken off', (_, prefix) => {
    const json = '{"level": "info", "msg": "handled request"}';
    for (const line of [LINE, json, `shop.example:443 ${LINE}`, LINE.replace('192.0.2.1', '2001:db8::1')])
      expect(new LinePrefixes().take(`${prefix}${line}`)).toBe(line);
  });

  it.each([
    JSON.stringify({ log: `${LINE}\n`, stream: 'stdout', time: TIME }),
    JSON.stringify({ log: LINE, kubernetes: { pod_name: 'web' } }),
    JSON.stringify({ __REALTIME_TIMESTAMP: '1772359205123456', MESSAGE: LINE }),
    JSON.stringify({ MESSAGE: [...Buffer.from(LINE)] }),
    JSON.stringify({ MESSAGE: JSON.stringify({ log: `${TIME} ${LINE}\n`, stream: 'stdout', time: TIME }) }),
  ])('of JSON is taken off: %.50s', (line) => expect(new LinePrefixes().take(line)).toBe(LINE));

  it.each([
    LINE,
    `<134>Mar 01 10:00:05 web1 nginx: ${LINE}`,
    `two words | ${LINE}`,
    `Foo 01 ${LINE}`,
    '2026-03-01 10:00:05 10.0.0.1 GET / - 200',
    '2026-03-01\t10:00:05\tFRA2\t182\t192.0.2.10\tGET',
    '{"log":1}',
    '{"log":',
    '{"MESSAGE":null}',
    '{"level":"info","msg":"a \\"log\\" of \\"MESSAGE\\""}',
    '',
  ])('is none of %s', (line) => expect(new LinePrefixes().take(line)).toBe(line));
});

describe('a line in parts', () => {
  it('of Kubernetes is put together, stream by stream', () => {
    const prefixes = new LinePrefixes();
    expect(prefixes.take(`${TIME} stdout P ${LINE.slice(0, 20)}`)).toBeNull();
    expect(prefixes.take(`${TIME} stderr F other`)).toBe('other');
    expect(prefixes.take(`${TIME} stdout P ${LINE.slice(20, 30)}`)).toBeNull();
    expect(prefixes.hasPart).toBe(true);
    expect(prefixes.take(`${TIME} stdout F ${LINE.slice(30)}`)).toBe(LINE);
    expect(prefixes.hasPart).toBe(false);
    expect(prefixes.take(`${TIME} stdout F ${LINE}`)).toBe(LINE);
  });

  it('of Docker is put together', () => {
    const long = `${LINE}${'x'.repeat(20_000)}`;
    const prefixes = new LinePrefixes();
    const parts = [long.slice(0, 16_384), `${long.slice(16_384)}\n`];
    expect(parts.map((log) => prefixes.take(JSON.stringify({ log, stream: 'stdout', time: TIME })))).toEqual([
      null,
      long,
    ]);
  });

  it('is bounded', () => {
    const prefixes = new LinePrefixes();
    for (let n = 0; n < 100; n++) prefixes.take(`${TIME} stdout P ${'x'.repeat(60_000)}`);
    expect(prefixes.take(`${TIME} stdout F end`)?.length).toBeLessThan(200_000);
  });
});
