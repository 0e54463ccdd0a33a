import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MailSettings } from '@ledgerline/platform/config/service-settings';
import type { Settings } from '@ledgerline/platform/config/settings';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { startSmtpServer, textOf, type SmtpServer } from '@test/mail/smtp-server';
import { waitUntil } from '@test/wait-until';
import { Mailer, MailFiles } from './mailer';

describe('a mail', () => {
  it('is sent by SMTP as plain text', async () => {
    mailer(smtp()).send(MAIL);
    const mail = await server.take();
    expect(mail).toMatchObject({ from: 'stats@example.com', to: ['ada@example.com'] });
    expect(mail.message).toMatch(/^From: Ledgerline <stats@example\.com>$/m);
    expect(mail.message).toMatch(/^To: ada@example\.com$/m);
    expect(mail.message).toMatch(/^Subject: Your invitation$/m);
    expect(mail.message).toMatch(/^Content-Type: text\/plain/m);
    expect(textOf(mail).trim()).toBe(MAIL.text);
  });

  it('goes to one address and has one subject, whatever both contain', async () => {
    const to = 'ada@example.com, eve@evil.example';
    const sender = mailer(smtp());
    sender.send({ ...MAIL, to });
    sender.send({ ...MAIL, subject: 'Hello\r\nBcc: eve@evil.example' });
    await sender.onApplicationShutdown();
    expect(server.mails.flatMap(({ to: received }) => received)).not.toContain('eve@evil.example');
    for (const { message } of server.mails) expect(message).not.toMatch(/^Bcc:/im);
  });

  it('is sent again after a temporary failure', async () => {
    server.replies.push('451 try again later', '421 not yet');
    mailer(smtp()).send(MAIL);
    expect((await server.take()).to).toEqual([MAIL.to]);
    expect(log.map((line) => (JSON.parse(line) as { isLast: boolean }).isLast)).toEqual([false, false]);
  });

  it('is given up after three attempts', async () => {
    server.replies.push('451 later', '451 later', '451 later');
    const sender = mailer(smtp());
    sender.send(MAIL);
    await waitUntil(() => log.length === 3);
    expect(log.map((line) => (JSON.parse(line) as { isLast: boolean }).isLast)).toEqual([false, false, true]);
    await sender.onApplicationShutdown();
    expect(server.mails).toEqual([]);
  });

  it('is given up after a permanent failure, and logged without its address and text', async () => {
    server.replies.push('550 no such user');
    const sender = mailer(smtp());
    sender.send(MAIL);
    await sender.onApplicationShutdown();
    expect(server.mails).toEqual([]);
    expect(log).toHaveLength(1);
    expect(JSON.parse(log[0]!)).toMatchObject({ level: 'warn', responseCode: 550, isLast: true });
    expect(log[0]).not.toMatch(/ada@|secret-link/);
  });

  it('is given up at the end of the process', async () => {
    const sender = mailer({ by: 'smtp', url: 'smtp://127.0.0.1:1', from: 'stats@example.com' });
    sender.send(MAIL);
    await sender.onApplicationShutdown();
    expect(log.length).toBeGreaterThan(0);
  });

  it('is not sent in the clear with a password', async () => {
    const url = server.url.replace('127.0.0.1', 'me:hidden@127.1'); // another name of the same host
    const sender = mailer({ by: 'smtp', url, from: 'stats@example.com' });
    sender.send(MAIL);
    await sender.onApplicationShutdown();
    expect(server.mails).toEqual([]);
    expect(JSON.parse(log[0]!)).toMatchObject({ code: 'ETLS' });
    expect(log.join()).not.toContain('hidden');
  });

  it('is in a file where that is its way, which the log names without its address and text', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ledgerline-mailer-'));
    const sender = mailer({ by: 'files' }, dataDir);
    sender.send(MAIL);
    await sender.onApplicationShutdown();
    const { file } = JSON.parse(log[0]!) as { readonly file: string };
    expect(await readFile(file, 'utf8')).toContain(MAIL.text);
    expect(log.join()).not.toMatch(/ada@|secret-link|Your invitation/);
    await rm(dataDir, { recursive: true });
  });

  it('is missed in the log where no way is configured', () => {
    mailer({ by: 'nothing' }).send(MAIL);
    expect(JSON.parse(log[0]!)).toMatchObject({ level: 'warn', subject: MAIL.subject });
    expect(log[0]).toContain('SMTP_URL');
    expect(log[0]).not.toMatch(/ada@|secret-link/);
  });
});

const MAIL = {
  to: 'ada@example.com',
  subject: 'Your invitation',
  text: 'Grüße!\n\nhttps://stats.example.com/secret-link?a=1',
};

let server: SmtpServer;
let log: string[];

const smtp = (): MailSettings => ({ by: 'smtp', url: server.url, from: 'Ledgerline <stats@example.com>' });

class QuickMailer extends Mailer {
  protected override readonly pausesMs = [1, 1];
}

function mailer(mail: MailSettings, dataDir = ''): Mailer {
  const write = (line: string) => {
    log.push(line);
  };
  return new QuickMailer(
    { mail } as Settings,
    createLogger('api', 'info', { write }),
    new MailFiles({ dataDir, mailFileDays: 7 }),
  );
}

beforeEach(async () => {
  log = [];
  server = await startSmtpServer();
});

afterEach(() => server.close());
