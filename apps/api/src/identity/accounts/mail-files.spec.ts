import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MailFiles, type Mail } from './mailer';

const MAIL: Mail = {
  to: 'Ada@Example.com',
  subject: 'Your invitation',
  text: 'Come in.\n\nhttps://stats.example.com/a',
};
const DAY_MS = 86_400_000;

describe('the files of mails', () => {
  it('hold one mail each, which only their owner may read', async () => {
    const file = await files.write({ ...MAIL, userId: 'usr_1' });
    expect(await readFile(file, 'utf8')).toBe(
      'To: ada@example.com\nAccount: usr_1\nSubject: Your invitation\n\nCome in.\n\nhttps://stats.example.com/a\n',
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(dataDir, 'mails'))).mode & 0o777).toBe(0o700);
    await files.write(MAIL);
    expect(await left()).toBe(2);
  });

  it('of an address or an account are deleted, and no others', async () => {
    for (const mail of [MAIL, { ...MAIL, to: 'old@example.com', userId: 'usr_1' }, { ...MAIL, to: 'eve@example.com' }])
      await files.write({ ...mail, text: 'To: ada@example.com\nAccount: usr_1' });
    await files.removeTo('nobody@example.com');
    expect(await left()).toBe(3);
    await files.removeOf({ id: 'usr_1', email: 'ADA@example.com' });
    expect(await left()).toBe(1);
    await files.removeTo('Eve@example.com');
    expect(await left()).toBe(0);
  });

  it('are deleted after so many days', async () => {
    await files.write(MAIL);
    expect(await files.sweep(new Date(Date.now() + 3 * DAY_MS - 60_000))).toBe(0);
    expect(await files.sweep(new Date(Date.now() + 3 * DAY_MS + 60_000))).toBe(1);
    expect(await left()).toBe(0);
  });

  it('need not exist', async () => {
    expect(await files.sweep(new Date())).toBe(0);
    await files.removeTo('ada@example.com');
  });
});

let dataDir: string;
let files: MailFiles;

const left = async () => (await readdir(join(dataDir, 'mails'))).length;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ledgerline-mails-'));
  files = new MailFiles({ dataDir, mailFileDays: 3 });
});

afterEach(() => rm(dataDir, { recursive: true }));
