import { redact } from './redact';

const API_KEY = `svc_${'a1B2'.repeat(12)}`;

describe('a log line', () => {
  it.each(['authorization', 'x-api-key', 'Cookie', 'password', 'secret', 'authSecret', 'AUTH_SECRET', 'keyPepper'])(
    'hides the field %s at any depth',
    (name) => {
      const line = JSON.stringify({ a: { b: [{ [name]: 'top "quoted" thing', kept: 'yes' }] } });
      const redacted: unknown = JSON.parse(redact(line));
      expect(redacted).toEqual({ a: { b: [{ [name]: '[redacted]', kept: 'yes' }] } });
    },
  );

  it('hides lists of cookies', () => {
    const line = JSON.stringify({ 'set-cookie': ['a=1', 'b=2'], kept: [1] });
    expect(JSON.parse(redact(line))).toEqual({ 'set-cookie': '[redacted]', kept: [1] });
  });

  it('hides fields inside JSON that was logged as text', () => {
    const body = JSON.stringify({ password: 'say "hello"', name: 'x' });
    const { msg } = JSON.parse(redact(JSON.stringify({ msg: `body ${body}` }))) as { msg: string };
    expect(msg).toBe('body {"password":"[redacted]","name":"x"}');
  });

  it('hides API keys and credentials inside any text', () => {
    const line = JSON.stringify({ msg: `refused ${API_KEY}, header was Bearer abcdefgh12345` });
    expect(redact(line)).toBe('{"msg":"refused svc_[redacted], header was Bearer [redacted]"}');
  });

  it('hides passwords of connection strings', () => {
    expect(redact('"postgres://me:p@ss-word@localhost:5432/db"')).not.toContain('word');
    expect(redact('"http://localhost:3000/a:b@c"')).toBe('"http://localhost:3000/a:b@c"');
  });

  it('is otherwise left as it is', () => {
    const line = JSON.stringify({ msg: 'a "quoted" secret of svc_ and tokens', start: 'svc_', n: 1 });
    expect(redact(line)).toBe(line);
  });
});
