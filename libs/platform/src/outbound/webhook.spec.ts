import { Webhook } from 'standardwebhooks';
import { isAllowedTarget, newWebhookSecret, rotateWebhookSecrets, sendWebhook, webhookHeaders } from './webhook';

const NONE = { destinationAllow: [] };
const OWN = { destinationAllow: ['10.0.0.0/8', 'fd00::/8'] };
const MESSAGE = { id: 'msg_1', contentType: 'application/json', body: '{"type":"tag.created"}' };

describe('a message', () => {
  it('is signed as Standard Webhooks has it, also with the former secret for a day', () => {
    const former = newWebhookSecret();
    const present = newWebhookSecret();
    const secrets = rotateWebhookSecrets(
      { secrets: [{ secret: former }, { secret: newWebhookSecret() }] },
      present,
      new Date(),
    );
    expect(secrets.map(({ secret }) => secret)).toEqual([present, former]);
    const verifies = (secret: string, at: Date) => {
      const headers = webhookHeaders(MESSAGE, secrets, at);
      try {
        return new Webhook(secret).verify(MESSAGE.body, { ...headers, 'webhook-timestamp': now(headers) });
      } catch {
        return false;
      }
    };
    const now = (headers: { 'webhook-timestamp': string }) => headers['webhook-timestamp'];
    expect([verifies(present, new Date()), verifies(former, new Date())]).toEqual(
      Array(2).fill({ type: 'tag.created' }),
    );
    const tomorrow = webhookHeaders(MESSAGE, secrets, new Date(Date.now() + 24 * 3_600_000 + 1_000));
    expect(tomorrow['webhook-signature'].split(' ')).toHaveLength(1);
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    '::ffff:10.1.2.3',
    'fd00::1',
    'fe80::1',
    '64:ff9b::a00:1',
  ])('goes to %s only where it is a network of one’s own', (address) => {
    expect(isAllowedTarget(address, 'https:', NONE)).toBe(false);
    expect(isAllowedTarget(address, 'http:', NONE)).toBe(false);
    const isOwn = ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1'].includes(address);
    expect(isAllowedTarget(address, 'http:', OWN)).toBe(isOwn);
  });

  it('goes to the internet over https alone', () => {
    expect(isAllowedTarget('93.184.216.34', 'https:', NONE)).toBe(true);
    expect(isAllowedTarget('93.184.216.34', 'http:', OWN)).toBe(false);
  });

  it('is not sent to an address that is not allowed, nor is it known what is there', async () => {
    const target = { url: 'http://127.0.0.1:9/', headers: {}, secrets: [{ secret: newWebhookSecret() }] };
    expect(await sendWebhook(target, MESSAGE, NONE, new AbortController().signal)).toEqual({
      status: null,
      text: '127.0.0.1 must have public addresses only.',
      retryAfterMs: null,
    });
  });
});
