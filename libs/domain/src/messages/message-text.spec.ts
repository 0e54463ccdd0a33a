import { type DestinationMessage, NAMED_TYPES, OBSERVED_TYPES } from './message';
import { renderMessage, messageLines } from './message-text';

describe('the text of a message', () => {
  it('says what happened in its first line', () => {
    expect(messageLines(down('Shop'))).toEqual(['Shop is down', 'The status was 503.', '2026-11-20 10:00:00 UTC']);
    expect(messageLines(message('monitor.unknown', { name: 'Shop', why: 'pause' }))[0]).toBe(
      'It is not known whether Shop is up: it is paused',
    );
    expect(messageLines(message('link.clicked', { name: 'Sale', count: 1 }))[0]).toBe('Sale: 1 click');
    expect(messageLines(message('goal.reached', { name: 'Orders', count: 2 }))[0]).toBe('Orders: reached 2 times');
    const target = { type: 'api_key', id: 'key_1', name: 'Backend' };
    expect(messageLines(message('api_key.revoked', { target }))[0]).toBe('Api key revoked: Backend');
    for (const type of [...OBSERVED_TYPES, ...NAMED_TYPES])
      expect(messageLines(message(type, { name: 'Shop' }))[0]).toContain('Shop');
  });

  it('is of the lines that it says, whatever names hold', () => {
    expect(messageLines(down('Shop\n\u202eIs up\u2028again'))).toHaveLength(3);
    expect(messageLines(down('a\r\nBcc: b@c.example'))[0]).toBe('a Bcc: b@c.example is down');
  });
});

const HOSTILE =
  '@everyone <!channel> <@U1> @here **bold** _i_ `code` [x](https://evil.example) <b>hi</b> www.evil.example # x > y ||z||';

describe('a body for Slack', () => {
  const body = JSON.parse(renderMessage('slack', down(HOSTILE))) as {
    text: string;
    blocks: readonly { text: { type: string; text: string } }[];
  };

  it('has no markup, mention or link of others', () => {
    expect(body).toMatchObject({ mrkdwn: false, parse: 'none', link_names: false, unfurl_links: false });
    expect(body.blocks.map(({ text }) => text.type)).toEqual(['plain_text']);
    expect(body.text).not.toMatch(/[<>]|@(?!\u200b)/);
    for (const text of [body.text, body.blocks[0]?.text.text]) expect(text).not.toMatch(/:\/\/|www\./);
  });

  it('is no longer than Slack takes', () => {
    const long = JSON.parse(renderMessage('slack', down('x'.repeat(9_000)))) as typeof body;
    expect(long.blocks[0]?.text.text.length).toBeLessThanOrEqual(3_000);
  });
});

describe('a body for Discord', () => {
  const body = JSON.parse(renderMessage('discord', down(HOSTILE))) as { content: string };

  it('mentions nobody, and shows what is given as it is', () => {
    expect(body).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4 });
    expect(body.content).not.toMatch(/@(?!\u200b)|:\/\/|www\./);
    expect(body.content.replaceAll(/\\./gs, '')).not.toMatch(/[\\*_~`|>#[\]()<]/);
    expect(body.content.replaceAll(/\\(.)/gs, '$1').replaceAll('\u200b', '').split('\n')[0]).toBe(`${HOSTILE} is down`);
  });

  it('is no longer than Discord takes', () => {
    const long = JSON.parse(renderMessage('discord', down('*'.repeat(9_000)))) as typeof body;
    expect(long.content.length).toBeLessThanOrEqual(2_000);
  });
});

function message(type: string, more: object): DestinationMessage {
  return { type, timestamp: '2026-11-20T10:00:00.000Z', data: { id: 'id', organizationId: 'org_1', ...more } };
}

function down(name: string): DestinationMessage {
  return message('monitor.down', { name, detail: 'The status was 503.' });
}
