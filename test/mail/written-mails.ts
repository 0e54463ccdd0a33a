import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApi } from '../api/test-api';
import { waitUntil } from '../wait-until';

/** A mail of an api without a mail server. */
interface WrittenMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The mails in the data directory of an api with `MAIL_TO_FILES`, oldest first. */
export function writtenMails({ settings }: Pick<TestApi, 'settings'>): readonly WrittenMail[] {
  const folder = join(settings.dataDir, 'mails');
  const names = readdirSync(folder).toSorted();
  return names.map((name) => mailIn(readFileSync(join(folder, name), 'utf8')));
}

/** The newest mail to an address, which is written in the background. */
export async function mailTo(api: TestApi, email: string, count = 1): Promise<WrittenMail> {
  const look = () => (hasMails(api) ? writtenMails(api).filter(({ to }) => to === email) : []);
  return (await waitUntil(look, ({ length }) => length >= count)).at(-1)!;
}

const hasMails = ({ settings }: TestApi): boolean => readdirSync(settings.dataDir).includes('mails');

function mailIn(file: string): WrittenMail {
  const [head = '', ...text] = file.split('\n\n');
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? '';
  return { to: field('To'), subject: field('Subject'), text: text.join('\n\n') };
}
